# A change made here moves the work to this branch.
ckpt start implement login --phases build,test
git switch --quiet --create feature
commits src/form.py "def form(): ..."
ckpt phase implement/login build in_progress
git switch --quiet main
expect other_branch
ckpt phase implement/login build in_progress --task T2
gone other_branch
