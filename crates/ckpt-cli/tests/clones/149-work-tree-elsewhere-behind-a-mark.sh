# An unpacked archive has settings of git that name a work tree of the user, in a way that a careless reader misses.
#: refused does not belong to it
#: untouched
if [ "$1" = after ]; then
    mkdir -p "$OUTSIDE/victim"
    printf '[a] [core] worktree = %s/victim\n' "$OUTSIDE" >> .git/config
    { printf '\357\273\277'; cat .git/config; } > .git/more && mv .git/more .git/config
    exit
fi
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
