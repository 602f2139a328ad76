# One plan, two worktrees. In the other one a live session is at work on what looks like the next task here.
put plans/260318-0840-editor/plan.md <<'END'
# Editor

<!-- CHECKPOINT: editor -->
- [ ] Save drafts every minute <!-- TASK: drafts -->
- [ ] Paste images <!-- TASK: paste-images -->
- [ ] Count words <!-- TASK: word-count -->
- [ ] Check spelling <!-- TASK: spelling -->
END
put editor/main.js <<< "open(document)"
git add . && git commit --quiet -m "Plan the editor"
ckpt plan sync
begins here
runs here "echo 'every(60, save)' >> editor/main.js && ckpt plan done drafts && git commit -qam 'Save drafts every minute'"
runs here "ckpt plan note 'word-count: count by Intl.Segmenter, splitting at spaces is wrong for Japanese'"
says here "Drafts are saved. I go on here after lunch."
ends here

git worktree add --quiet -b feature/paste-images "$LIFE/editor-images"
cd "$LIFE/editor-images"
ckpt plan sync
begins there
prompt there "Do paste-images in this worktree."
runs there "ckpt plan claim paste-images"
writes there editor/paste.js <<< "on('paste', event => upload(event.clipboardData))"
says there "Uploading works. Large images have to be scaled down before."
cd "$LIFE/repository"
