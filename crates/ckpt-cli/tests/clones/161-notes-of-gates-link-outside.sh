# In an unpacked archive, the notes of gates and the events that wait are links to directories of the user.
if [ "$1" = after ]; then
    mkdir -p .git/ckpt "$OUTSIDE/gated" "$OUTSIDE/late"
    ln -s "$OUTSIDE/gated" .git/ckpt/gated
    ln -s "$OUTSIDE/late" .git/ckpt/late
    printf 'mine\n' > "$OUTSIDE/late/1"
    exit
fi
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
