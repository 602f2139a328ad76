# After the user's approval a pull brings code in a directory that has the name of a phase file.
#: blocked ship
if [ "$1" = after ]; then
    "$CKPT" gate set ship --allow
    mkdir plans/260101-0000-x/phase-02-y.md
    printf 'evil()\n' > plans/260101-0000-x/phase-02-y.md/index.js
    git add plans
    git commit -q -m evil
    exit
fi
mkdir -p plans/260101-0000-x .claude/state
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
