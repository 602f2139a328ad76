# A file that does not belong in git can be acknowledged.
commits .gitignore "dist/"
ckpt start implement login --phases build,test
put dist/app.js <<< "let app;"
ckpt phase implement/login build complete --created dist/app.js
expect not_in_git
ckpt ack dist/app.js
gone not_in_git
