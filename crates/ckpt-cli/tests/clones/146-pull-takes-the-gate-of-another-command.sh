# After a gate was set, a pull brings the checkpoint without it.
#: denied
if [ "$1" = after ]; then
    "$CKPT" start implement auth > /dev/null
    "$CKPT" gate set implement/auth --block 'two tests fail'
    printf '{"command":"implement","feature":"auth","version":1,"state":{"completed_phases":[],"pending_phases":[]},"phases":{}}\n' > .claude/state/implement-auth.json
    exit
fi
mkdir -p .claude/state
