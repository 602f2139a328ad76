# The state directory is a link to git's own.
mkdir .claude
ln -s ../.git .claude/state
