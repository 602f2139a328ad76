# Histories are one line of 60 MB of zeros, which git sends as a few kilobytes.
#: short
mkdir -p plans/260101-0000-x/.checkpoint .claude/state/history/command
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"command":"implement","feature":"auth","version":1,"state":{},"phases":{}}\n' > .claude/state/implement-auth.json
head -c 60000000 /dev/zero > plans/260101-0000-x/.checkpoint/history.jsonl
ln plans/260101-0000-x/.checkpoint/history.jsonl .claude/state/history/command/implement-auth.jsonl
