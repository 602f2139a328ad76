# The directory of a plan is a link to the top of the repository, which has a .git.
mkdir -p plans .claude/state
ln -s .. plans/260101-0000-x
printf -- '- [ ] One <!-- TASK: one -->\n' > plan.md
ln -s .git/config phase-01-x.md
printf '{"command":"implement","feature":"auth","version":1,"state":{},"phases":{}}\n' > .claude/state/implement-auth.json
