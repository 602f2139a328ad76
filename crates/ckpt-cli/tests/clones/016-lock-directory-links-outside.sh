# The directory of locks is a link to a place of the user elsewhere.
mkdir -p .claude/state
ln -s "$OUTSIDE" .claude/state/locks
