# Every task with an id is done. A colleague's commit, just pulled, adds an urgent checkbox without one, and renames a function.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
put plans/260309-1330-registry-move/plan.md <<'END'
# Move to the new image registry

<!-- CHECKPOINT: move -->
- [ ] Build images for both registries <!-- TASK: build-both -->
- [ ] Pull from the new registry in production <!-- TASK: pull-new -->
- [ ] Switch the old registry off <!-- TASK: old-off -->
END
put ops/deploy.sh <<'END'
push_image() { docker push "old.example.org/$1"; }
END
git add . && git commit --quiet -m "Plan the move to the new registry"
git push --quiet -u origin main
ckpt plan sync

begins ops
runs ops "echo 'push_both() { push_image new; push_image old; }' >> ops/deploy.sh && ckpt plan done build-both && git commit -qam 'Build for both registries'"
runs ops "echo 'pull_new() { :; }' >> ops/deploy.sh && ckpt plan done pull-new && git commit -qam 'Pull from the new registry'"
runs ops "ckpt plan done old-off"
runs ops "ckpt plan note 'Anything new that is pushed goes through push_image in ops/deploy.sh, it holds the token'"
runs ops "git commit -qam 'Switch the old registry off' && git push -q"
says ops "All three tasks are done. The plan is finished."
ends ops

git clone --quiet "$LIFE/origin.git" "$LIFE/grace"
(
    cd "$LIFE/grace"
    sed -i 's/push_image/publish_image/g' ops/deploy.sh
    echo '- [ ] Rotate the registry token, it is in the public build log' >> plans/260309-1330-registry-move/plan.md
    by Grace git commit --quiet -am "Rename the push and ask for a new token"
    git push --quiet
)
git pull --quiet
