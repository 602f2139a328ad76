# A name that a summary uses and that is gone is told until the checkpoint is changed.
put src/login.py <<< "def check_password(): ..."
git add . && git commit --quiet -m "Check passwords"
ckpt start implement login --phases research,build
ckpt phase implement/login research complete --summary 'Use check_password in src/login.py.'
gone name_gone

git clone --quiet . ../grace
(cd ../grace && by Grace commits src/login.py "def verify(): ...")
git pull --quiet ../grace main
expect name_gone
expect name_gone
ckpt phase implement/login build in_progress --summary 'verify in src/login.py has a new name.'
gone name_gone
