# A task that is done in another worktree can be acknowledged, and one that is taken back here is to be done here.
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
ckpt ack login-form --reason "that was only an experiment"
gone done_elsewhere
git merge --quiet form
ckpt plan undo login-form
gone done_elsewhere
