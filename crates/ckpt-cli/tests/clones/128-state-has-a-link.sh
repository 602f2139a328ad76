# After the user's approval a pull brings a link into the directory of the state.
#: blocked ship
if [ "$1" = after ]; then
    "$CKPT" gate set ship --allow
    ln -s ../../main.rs .claude/state/link
    git add -f .claude/state/link
    git commit -q -m evil
    exit
fi
mkdir -p .claude/state
printf 'good()\n' > main.rs
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
