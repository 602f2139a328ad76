# The log of hooks is a link to a file of the user elsewhere, and so is the old one.
mkdir -p .claude/state
ln -s "$OUTSIDE/secret" .claude/state/hooks.jsonl
ln -s "$OUTSIDE/secret" .claude/state/hooks.jsonl.1
