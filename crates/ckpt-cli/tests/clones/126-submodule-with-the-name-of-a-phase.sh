# After the user's approval a pull brings a submodule that has the name of a phase file.
#: blocked ship
if [ "$1" = after ]; then
    "$CKPT" gate set ship --allow
    git init -q plans/260101-0000-x/phase-02-y.md
    git -C plans/260101-0000-x/phase-02-y.md commit -q --allow-empty -m evil
    git -c advice.addEmbeddedRepo=false add plans
    git commit -q -m evil
    exit
fi
mkdir -p plans/260101-0000-x .claude/state
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
