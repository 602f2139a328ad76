# Plans, checkpoints and histories are links to devices that never end.
mkdir -p .claude/state/sessions .claude/state/history/command plans/260101-0000-x/.checkpoint plans/260101-0000-y
ln -s /dev/zero plans/260101-0000-x/plan.md
ln -s /dev/zero plans/260101-0000-x/.checkpoint/state.json
ln -s /dev/zero plans/260101-0000-x/.checkpoint/history.jsonl
ln -s /dev/tty plans/260101-0000-y/plan.md
ln -s /dev/urandom .claude/state/implement-auth.json
ln -s /dev/zero .claude/state/sessions/s1.json
ln -s /dev/zero .claude/state/history/command/implement-auth.jsonl
ln -s /dev/zero .claude/state/active-plan
