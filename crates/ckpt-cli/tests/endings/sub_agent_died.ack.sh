# A sub-agent that died is told until somebody acknowledges it by its id.
ckpt start implement login --phases research,build,test
begins one
runs one "ckpt phase implement/login build in_progress"
spawns one a7 "Write src/login.py for phase build of implement/login."
sub_writes one a7 src/login.py <<< "def login(): ..."
ends one
expect sub_agent_died
ckpt ack a7 --reason 'its file is complete'
gone sub_agent_died
