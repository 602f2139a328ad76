# An archive unpacked by root has devices in the places of settings, plans and checkpoints.
[ "$1" = after ] || { mkdir -p .claude/config .claude/state plans/260101-0000-x; printf x > .claude/state/x; exit; }
mkdir -p .claude/config .claude/state/sessions plans/260101-0000-x/.checkpoint
for name in .claude/config/ckpt.json .claude/state/implement-auth.json .claude/state/hooks.jsonl .claude/state/sessions/s9.json \
    plans/260101-0000-x/plan.md plans/260101-0000-x/.checkpoint/history.jsonl .gitignore; do
    mknod "$name" c 1 5 || exit 77
done
