# A task that is done in another worktree is told until it is merged.
plans_login
git worktree add --quiet -b form ../form
(cd ../form && ckpt plan done login-form && git commit --quiet --all -m "Create the form")
expect done_elsewhere
git merge --quiet form
gone done_elsewhere
