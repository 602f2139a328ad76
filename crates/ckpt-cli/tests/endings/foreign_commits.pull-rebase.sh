# After `git pull --rebase`, the commits of others are told, and the own commits that were moved are not.
commits src/form.py "def form(): ..."
git clone --quiet . ../grace
(cd ../grace && by Grace commits src/form.py "def html_form(): ...")
ckpt start implement login --phases build,test
commits src/mail.py "def mail(): ..."
ckpt phase implement/login build in_progress --modified src/form.py

git pull --quiet --rebase ../grace main
expect foreign_commits
if ckpt resume | grep -q 'Change src/mail.py'; then exit 1; fi
ckpt phase implement/login build in_progress
gone foreign_commits
