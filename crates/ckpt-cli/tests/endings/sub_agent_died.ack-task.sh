# If `ckpt ack` accepts the phase that a dead sub-agent was working on, then it ends the hazard.
ckpt start implement login --phases build,test
begins one
runs one "ckpt phase implement/login build in_progress"
spawns one a7 "Write src/login.py for phase build of implement/login."
ends one
expect sub_agent_died
if ckpt ack build; then gone sub_agent_died; else expect sub_agent_died; fi
