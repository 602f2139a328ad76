# Whoever commits the old content means it.
commits src/form.py "def form(): ..."
ckpt start implement login --phases build,test
ckpt phase implement/login build in_progress
commits src/form.py "def html_form(): ..."
put src/form.py <<< "def form(): ..."
expect old_content
git commit --quiet --all -m "Go back to the plain form"
gone old_content
