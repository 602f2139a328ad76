# After a gate was set, a pull takes the checkpoint away.
#: denied
if [ "$1" = after ]; then
    "$CKPT" start implement auth > /dev/null
    "$CKPT" gate set implement/auth --block 'two tests fail'
    rm -f .claude/state/implement-auth.json
    exit
fi
mkdir -p .claude/state
