# The user blocks the gate, and a pull replaces the checkpoint by one that is approved for the present content.
#: blocked ship
#: never ship: allowed
if [ "$1" = after ]; then
    "$CKPT" start ship > /dev/null
    "$CKPT" gate set ship --block 'tests fail'
    cp .claude/state/approved .claude/state/ship-checkpoint.json
    exit
fi
printf 'fn main() {}\n' > main.rs
git add -A && git commit -q -m first
"$CKPT" start ship > /dev/null
"$CKPT" gate set ship --allow
mv .claude/state/ship-checkpoint.json .claude/state/approved
rm -rf .claude/state/history .claude/state/locks
