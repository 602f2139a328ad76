# Files that are not committed are told until a commit has all of them; a change to the checkpoint leaves them.
ckpt start implement login --phases build,test
gone uncommitted
begins one
writes one src/login.py <<< "def login(): ..."
writes one src/logout.py <<< "def logout(): ..."
ends one
expect uncommitted
ckpt phase implement/login build complete --created src/login.py
expect uncommitted
git add src/login.py
expect uncommitted
git commit --quiet -m "Add the login"
expect uncommitted
git add src && git commit --quiet -m "Add the logout"
gone uncommitted
