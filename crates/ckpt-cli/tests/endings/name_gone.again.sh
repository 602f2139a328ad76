# A name that was acknowledged, came back and is gone again is told again.
put src/login.py <<< "def check_password(): ..."
git add . && git commit --quiet -m "Check passwords"
ckpt start implement login --phases research,build
ckpt phase implement/login research complete --summary 'Use check_password in src/login.py.'

git clone --quiet . ../grace
(cd ../grace && by Grace commits src/login.py "def verify(): ...")
git pull --quiet ../grace main
ckpt ack check_password
gone name_gone
(cd ../grace && by Grace commits src/login.py "def check_password(): ...")
git pull --quiet ../grace main
ckpt phase implement/login build in_progress --summary 'check_password is back.'
gone name_gone
(cd ../grace && by Grace commits src/login.py "def verify(): ...")
git pull --quiet ../grace main
expect name_gone
