# A revert that is not finished is meant to bring old content back.
commits src/form.py "def form(): ..."
ckpt start implement login --phases build,test
ckpt phase implement/login build in_progress
commits src/form.py "def html_form(): ..."
git revert --no-commit HEAD
gone old_content
git revert --abort
put src/form.py <<< "def form(): ..."
git add src/form.py
expect old_content
git restore --staged --worktree src/form.py
gone old_content
