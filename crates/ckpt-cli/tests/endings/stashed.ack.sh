# A stash that somebody has looked at is not told again.
commits src/form.py "def form(): ..."
ckpt start implement login --phases build,test
ckpt phase implement/login build in_progress
put src/form.py <<< "def html_form(): ..."
git stash --quiet
expect stashed
ckpt ack stash
gone stashed
