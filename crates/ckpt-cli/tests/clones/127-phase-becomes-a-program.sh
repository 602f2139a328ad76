# After the user's approval a phase file becomes a program.
#: blocked ship
if [ "$1" = after ]; then
    "$CKPT" gate set ship --allow
    printf '#!/bin/sh\nevil\n' > plans/260101-0000-x/phase-02-y.md
    chmod +x plans/260101-0000-x/phase-02-y.md
    git add plans
    git commit -q -m evil
    exit
fi
mkdir -p plans/260101-0000-x .claude/state
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
