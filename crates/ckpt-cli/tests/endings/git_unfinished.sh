# A merge that stopped in a conflict is told, and comes before everything else, until it is finished.
commits src/form.py "def form(): ..."
ckpt start implement login --phases build,test
git switch --quiet --create other
commits src/form.py "def html_form(): ..."
git switch --quiet main
commits src/form.py "def text_form(): ..."
git merge --quiet other || true
expect git_unfinished
ckpt resume | grep -q '^Finish the merge of other first: resolve the conflicts in src/form.py'
ckpt phase implement/login build in_progress
expect git_unfinished
put src/form.py <<< "def form(kind): ..."
git add src/form.py
expect git_unfinished
git commit --quiet --no-edit
gone git_unfinished
