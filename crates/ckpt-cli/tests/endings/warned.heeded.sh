# Until it is compacted, a session knows what its sub-agents said.
ckpt start implement login --phases build,test
begins one
runs one "ckpt phase implement/login build complete"
spawns one checker "implement/login, phase build: check the form."
reports one checker "The form is wrong: it has to escape names."
runs one "ckpt phase implement/login build in_progress && ckpt phase implement/login build complete"
compacts one
ends one
gone warned
