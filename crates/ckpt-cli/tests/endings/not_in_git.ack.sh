# A file that does not belong in git can be acknowledged.
commits src/form.py "def form(): ..."
commits .gitignore "*.local.py"
ckpt start implement login --phases build,test
put src/settings.local.py <<< "debug = True"
ckpt phase implement/login build complete --created src/settings.local.py
expect not_in_git
ckpt ack src/settings.local.py
gone not_in_git
