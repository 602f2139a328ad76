# The work directory is the user's, and the repository around it, with its state and plans, is another's.
#: in sub
#: refused dubious ownership
#: untouched
[ "$1" = after ] && { [ "$(id -u)" = 0 ] || exit 77; chown -R 12345 . && chown -R 0 sub; exit; }
mkdir -p .claude/state plans/260101-0000-x sub
printf x > sub/x
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"command":"implement","feature":"auth","version":1,"state":{},"phases":{}}\n' > .claude/state/implement-auth.json
