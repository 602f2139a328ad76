# An unpacked archive says that a work tree of another repository of the user is one of its own.
if [ "$1" = after ]; then
    git init -q "$OUTSIDE/main"
    git -C "$OUTSIDE/main" commit -q --allow-empty -m one
    git -C "$OUTSIDE/main" worktree add -q "$OUTSIDE/tree" 2> /dev/null
    mkdir -p "$OUTSIDE/tree/.claude/state" .git/worktrees/w
    cp "$OUTSIDE/secret.json" "$OUTSIDE/tree/.claude/state/implement-auth.json"
    printf '%s/tree/.git\n' "$OUTSIDE" > .git/worktrees/w/gitdir
    printf '../..\n' > .git/worktrees/w/commondir
    cp .git/HEAD .git/worktrees/w/HEAD
    exit
fi
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
