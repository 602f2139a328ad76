# An unpacked archive has a receipt that names files of the user, and says that git's hooks lie beside them.
if [ "$1" = after ]; then
    git config core.hooksPath "$OUTSIDE"
    mkdir -p .git/ckpt
    printf '{"files":[{"path":"%s/profile","created":false,"edit":[[0,"%s\\n",""]]},{"path":"%s/pre-push","created":false,"mode":2541,"edit":[[0,"%s\\n",""]]}]}\n' "$OUTSIDE" "$CANARY" "$OUTSIDE" "$CANARY" > .git/ckpt/init.json
    printf '# mine\n' > "$OUTSIDE/profile"
    printf '#!/bin/sh\nexit 0\n' > "$OUTSIDE/pre-push"
    exit
fi
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
