# An unpacked archive has settings of git that name the directory around it as the work tree.
#: refused does not belong to it
#: untouched
if [ "$1" = after ]; then
    git config core.worktree ../..
    exit
fi
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
