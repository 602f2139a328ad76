# The log of hooks is a link to git's settings, and the old one to a hook of git.
mkdir -p .claude/state
ln -s ../../.git/config .claude/state/hooks.jsonl
ln -s ../../.git/hooks/pre-push .claude/state/hooks.jsonl.1
