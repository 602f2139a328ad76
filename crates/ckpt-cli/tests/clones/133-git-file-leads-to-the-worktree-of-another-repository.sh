# An unpacked archive has a .git file that names a worktree of a repository of the user.
#: refused does not belong to it
#: untouched
if [ "$1" = after ]; then
    git init -q "$OUTSIDE/victim"
    git -C "$OUTSIDE/victim" commit -q --allow-empty -m one
    git -C "$OUTSIDE/victim" worktree add -q "$OUTSIDE/linked" 2> /dev/null
    rm -rf .git
    printf 'gitdir: %s/victim/.git/worktrees/linked\n' "$OUTSIDE" > .git
    exit
fi
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
