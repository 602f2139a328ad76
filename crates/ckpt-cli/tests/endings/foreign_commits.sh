# Commits of others are told until the checkpoint is changed; own commits are not told, and a change elsewhere is not enough.
ckpt start implement login --phases build,test
ckpt phase implement/login build in_progress --modified src/login.py
commits src/login.py "def login(): ..."
gone foreign_commits

git clone --quiet . ../grace
(cd ../grace && by Grace commits src/login.py "def login(name): ...")
git pull --quiet ../grace main
expect foreign_commits
expect foreign_commits
ckpt start review api && ckpt abandon review/api --reason 'later'
expect foreign_commits
ckpt phase implement/login build in_progress
gone foreign_commits
