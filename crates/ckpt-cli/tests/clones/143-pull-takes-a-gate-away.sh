# After a gate was set, a pull replaces the checkpoint by something else that is not in flight.
#: denied
if [ "$1" = after ]; then
    "$CKPT" start ship > /dev/null
    "$CKPT" gate set ship --block 'two tests fail'
    printf '{}\n' > .claude/state/ship-checkpoint.json
    exit
fi
mkdir -p .claude/state
