# A session ends while its sub-agent is at work. Then a commit is pulled that changes the function the sub-agent relies on.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
put plans/260319-1305-gallery/plan.md <<'END'
# Gallery

<!-- CHECKPOINT: gallery -->
- [ ] Upload several pictures at once <!-- TASK: multi-upload -->
- [ ] Write alternative texts <!-- TASK: alt-texts -->
- [ ] Make thumbnails in three sizes <!-- TASK: thumbnails -->
END
put media/resize.py <<< "def resize_exact(image, width, height): return image.resize((width, height))"
git add . && git commit --quiet -m "Plan the gallery"
git push --quiet -u origin main
ckpt plan sync

begins pic
runs pic "echo '<input multiple>' > media/form.html && ckpt plan done multi-upload && git add . && git commit -qm 'Upload several pictures'"
runs pic "ckpt plan note 'thumbnails: resize_exact in media/resize.py is all that is needed'"
runs pic "ckpt plan decide 'alt-texts are written by people' --reason 'generated ones were wrong too often'"
spawns pic thumb "Do the task thumbnails of plans/260319-1305-gallery in media/thumbs.py."
sub_writes pic thumb media/thumbs.py <<< "def thumbs(image): return [resize_exact(image, s, s) for s in (64, 256)]"
sub_says pic thumb "Two sizes work. The third, 1024, must not be larger than the original. Doing that next."
runs pic "git add . && git commit -qm 'Make thumbnails' && git push -q"
says pic "Pushed. I have to leave."
ends pic

git clone --quiet "$LIFE/origin.git" "$LIFE/grace"
(
    cd "$LIFE/grace"
    put media/resize.py <<< "def fit_within(image, box): return image.thumbnail(box)"
    by Grace git commit --quiet -am "Stop distorting pictures"
    git push --quiet
)
git pull --quiet
