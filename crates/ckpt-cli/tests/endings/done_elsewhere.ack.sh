# A task that is done in another worktree can be acknowledged, and one that is taken back here is to be done here.
plans_login
git worktree add --quiet -b form ../form
(cd ../form && ckpt plan done login-form && git commit --quiet --all -m "Create the form")
expect done_elsewhere
ckpt ack login-form --reason "that was only an experiment"
gone done_elsewhere
git merge --quiet form
ckpt plan undo login-form
gone done_elsewhere
