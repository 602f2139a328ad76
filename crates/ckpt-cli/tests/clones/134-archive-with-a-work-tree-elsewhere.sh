# An unpacked archive has settings of git that name a directory of the user as the work tree.
#: refused does not belong to it
#: untouched
if [ "$1" = after ]; then
    mkdir -p "$OUTSIDE/victim"
    git config core.worktree "$OUTSIDE/victim"
    exit
fi
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
