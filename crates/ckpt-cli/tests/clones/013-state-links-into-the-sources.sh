# The state directory is a link to the sources, which git tracks.
mkdir -p .claude src/history src/locks
printf 'x\n' > src/history/x
printf 'x\n' > src/locks/x
ln -s ../src .claude/state
