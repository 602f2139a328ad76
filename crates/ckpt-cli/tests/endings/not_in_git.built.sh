# What is built is ignored with its directory, and secrets are hidden: nobody expects them in git.
printf 'dist/\n.env\n' > .gitignore
git add . && git commit --quiet -m "Ignore what is built"
ckpt start implement login --phases build,test
put dist/app.js <<< "let app;"
put .env <<< "KEY=1"
ckpt phase implement/login build complete --created dist/app.js --created .env --created ./README.md
gone not_in_git
