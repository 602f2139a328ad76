# After the user's approval a file changes that git was told not to look at (skip-worktree).
#: checked ship
if [ "$1" = after ]; then
    "$CKPT" gate set ship --allow
    git update-index --skip-worktree main.rs
    printf 'evil()\n' > main.rs
    exit
fi
mkdir -p .claude/state
printf 'good()\n' > main.rs
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
