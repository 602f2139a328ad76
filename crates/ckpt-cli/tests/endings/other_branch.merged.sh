# Once the other branch is merged, its work is here.
ckpt start implement login --phases build,test
git switch --quiet --create feature
commits src/form.py "def form(): ..."
ckpt phase implement/login build in_progress
git switch --quiet main
expect other_branch
git merge --quiet feature
gone other_branch
