# A file that is as it was before a commit is told until it is restored.
commits src/form.py "def form(): ..."
ckpt start implement login --phases build,test
ckpt phase implement/login build in_progress
commits src/form.py "def html_form(): ..."
put src/form.py <<< "def form(user): ..."
gone old_content
put src/form.py <<< "def form(): ..."
expect old_content
git restore src/form.py
gone old_content
