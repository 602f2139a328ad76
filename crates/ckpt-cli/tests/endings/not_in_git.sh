# A listed file that git ignores is told until it is added.
commits db/users.sql "create table users;"
commits .gitignore "*tmp*"
ckpt start implement login --phases build,test
put db/tmp_tokens.sql <<< "create table tokens;"
put src/form.py <<< "def form(): ..."
git add . && git commit --quiet -m "Build the form"
ckpt phase implement/login build complete --created src/form.py --created db/tmp_tokens.sql
expect not_in_git
git add --force db/tmp_tokens.sql
gone not_in_git
git commit --quiet -m "Add the table"
gone not_in_git
