# A stash made since the last change is told until it is popped.
commits src/form.py "def form(): ..."
ckpt start implement login --phases build,test
ckpt phase implement/login build in_progress
put src/form.py <<< "def html_form(): ..."
gone stashed
git stash --quiet
expect stashed
git stash pop --quiet
gone stashed
