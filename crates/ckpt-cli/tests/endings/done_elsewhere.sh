# A task that is done in another worktree is told until it is merged.
plan=plans/260301-0900-login/plan.md
put $plan <<'END'
<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the mail <!-- TASK: reset-mail -->
END
git add . && git commit --quiet -m "Plan the login"
ckpt plan sync
git worktree add --quiet -b form ../form
(cd ../form && ckpt plan done login-form && git commit --quiet --all -m "Create the form")
expect done_elsewhere
git merge --quiet form
gone done_elsewhere
