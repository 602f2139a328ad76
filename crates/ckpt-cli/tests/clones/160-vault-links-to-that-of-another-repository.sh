# In an unpacked archive, what is ours in the git directory is a link to that of another repository of the user.
if [ "$1" = after ]; then
    git init -q "$OUTSIDE/mine"
    git -C "$OUTSIDE/mine" commit -q --allow-empty -m one
    ( cd "$OUTSIDE/mine" && "$CKPT" start review && "$CKPT" gate set review --block x ) > /dev/null
    ln -s "$OUTSIDE/mine/.git/ckpt" .git/ckpt
    exit
fi
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
