# After a gate was set, a pull replaces the checkpoint by one that is complete.
#: denied
if [ "$1" = after ]; then
    "$CKPT" start ship > /dev/null
    "$CKPT" gate set ship --block 'two tests fail'
    printf '{"command":"ship","version":1,"completed_at":"2026-01-01T00:00:00Z","state":{"completed_phases":[],"pending_phases":[]},"phases":{}}\n' > .claude/state/ship-checkpoint.json
    exit
fi
mkdir -p .claude/state
