# The clone brings empty files that say what git ignores, so that state would be committed.
#: private
mkdir -p plans/260101-0000-x/.checkpoint .claude/state
: > .claude/state/.gitignore
printf '!*\n' > plans/260101-0000-x/.checkpoint/.gitignore
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
