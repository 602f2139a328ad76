# What a sub-agent warned of before a compaction is told until a later session deals with it.
ckpt start implement login --phases build,test
begins one
runs one "ckpt phase implement/login build in_progress"
spawns one checker "implement/login, phase build: check the form."
reports one checker "The form is wrong: it has to escape names."
compacts one
runs one "ckpt phase implement/login build complete"
ends one
expect warned
begins two
runs two "ckpt phase implement/login build in_progress"
runs two "ckpt phase implement/login build complete"
gone warned
