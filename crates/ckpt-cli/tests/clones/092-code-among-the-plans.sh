# After the user's approval a pull brings code into the directory of the plans.
#: blocked ship
if [ "$1" = after ]; then
    "$CKPT" gate set ship --allow
    printf 'evil()\n' > plans/260101-0000-x/build.js
    git commit -q -a -m evil
    exit
fi
mkdir -p plans/260101-0000-x .claude/state
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf 'good()\n' > plans/260101-0000-x/build.js
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
