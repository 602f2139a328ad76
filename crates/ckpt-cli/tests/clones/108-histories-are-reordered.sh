# After the user has worked, a pull brings histories with their lines in another order, and cut short.
#: lacks plans/260101-0000-x/plan.md Evil
if [ "$1" = after ]; then
    printf -- '- [ ] One <!-- TASK: one -->\n- [ ] Evil <!-- TASK: two -->\n' > plans/260101-0000-x/plan.md
    "$CKPT" plan sync
    "$CKPT" plan done two
    printf -- '- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n' > plans/260101-0000-x/plan.md
    "$CKPT" plan sync
    cd plans/260101-0000-x/.checkpoint || exit
    tac history.jsonl > other && mv other history.jsonl
    sed -i '$d' history.jsonl
    sed 's/"event":"[a-z_]*"/"event":"rebased"/' history.jsonl >> history.jsonl.new && mv history.jsonl.new history.jsonl
    exit
fi
mkdir -p plans/260101-0000-x
printf -- '- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n' > plans/260101-0000-x/plan.md
