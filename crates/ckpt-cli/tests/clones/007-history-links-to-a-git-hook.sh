# Histories are links to hooks of git that are not there yet.
[ "$1" = after ] && { mkdir -p .git/hooks; exit; }
mkdir -p plans/260101-0000-x/.checkpoint .claude/state/history/command
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
ln -s ../../../.git/hooks/pre-push plans/260101-0000-x/.checkpoint/history.jsonl
ln -s ../../../../.git/hooks/pre-commit .claude/state/history/command/implement-auth.jsonl
