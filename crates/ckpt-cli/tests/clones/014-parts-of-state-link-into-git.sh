# Histories and sessions are links to directories of git.
mkdir -p .claude/state
ln -s ../../.git .claude/state/history
ln -s ../../.git/refs .claude/state/sessions
printf '{"command":"implement","feature":"auth","version":1,"state":{},"phases":{}}\n' > .claude/state/implement-auth.json
