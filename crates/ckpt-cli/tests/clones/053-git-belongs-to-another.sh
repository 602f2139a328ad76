# The directory .git belongs to another user of the machine, who can change it at any time.
#: refused dubious ownership
#: untouched
[ "$1" = after ] && { [ "$(id -u)" = 0 ] || exit 77; chown -R 12345 .git; exit; }
mkdir -p .claude/state plans/260101-0000-x
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"command":"implement","feature":"auth","version":1,"state":{},"phases":{}}\n' > .claude/state/implement-auth.json
