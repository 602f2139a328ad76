# The records of sessions are links to git's settings and to files of the user.
mkdir -p .claude/state/sessions
ln -s ../../../.git/config .claude/state/sessions/s1.json
ln -s "$OUTSIDE/secret.json" .claude/state/sessions/s9.json
ln -s ../../.git/HEAD .claude/state/active-plan
