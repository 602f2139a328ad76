# A rebase that was given up is no longer told.
commits src/form.py "def form(): ..."
ckpt start implement login --phases build,test
git switch --quiet --create other
commits src/form.py "def html_form(): ..."
git switch --quiet main
commits src/form.py "def text_form(): ..."
git rebase --quiet other || true
expect git_unfinished
ckpt resume | grep -q '^Finish the rebase of main first'
git rebase --abort
gone git_unfinished
