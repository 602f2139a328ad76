# A warning that is settled can be acknowledged.
ckpt start implement login --phases build,test
begins one
runs one "ckpt phase implement/login build in_progress"
spawns one checker "implement/login, phase build: check the form."
reports one checker "The form is wrong: it has to escape names."
compacts one
runs one "ckpt phase implement/login build complete"
ends one
expect warned
ckpt ack checker
gone warned
