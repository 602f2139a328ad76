# Work that was last done on another branch is told there until one switches to it.
ckpt start implement login --phases build,test
git switch --quiet --create feature
commits src/form.py "def form(): ..."
ckpt phase implement/login build in_progress
gone other_branch
git switch --quiet main
expect other_branch
ckpt resume | grep -q '^Switch to branch feature'
git switch --quiet feature
gone other_branch
