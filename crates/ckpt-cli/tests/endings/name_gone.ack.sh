# A name that is gone is told until somebody acknowledges it; another name is still told.
put src/login.py <<< "def check_password(): find_user()"
git add . && git commit --quiet -m "Check passwords"
ckpt start implement login --phases research,build
ckpt phase implement/login research complete --summary 'Use check_password and find_user in src/login.py.'

git clone --quiet . ../grace
(cd ../grace && by Grace commits src/login.py "def verify(): ...")
git pull --quiet ../grace main
expect name_gone
ckpt ack check_password --reason 'it is called verify now'
expect name_gone
ckpt ack find_user
gone name_gone
