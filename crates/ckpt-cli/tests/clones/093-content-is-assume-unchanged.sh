# After the user's approval a file changes that git was told not to look at (assume-unchanged).
#: checked ship
if [ "$1" = after ]; then
    "$CKPT" gate set ship --allow
    git update-index --assume-unchanged main.rs
    printf 'evil()\n' > main.rs
    exit
fi
mkdir -p .claude/state
printf 'good()\n' > main.rs
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
