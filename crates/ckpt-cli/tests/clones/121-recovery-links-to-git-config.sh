# The copy of a plan's state, and what is kept of a damaged one, are links to git's settings.
mkdir -p plans/260101-0000-x/.checkpoint
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf 'garbage' > plans/260101-0000-x/.checkpoint/state.json
ln -s ../../../.git/config plans/260101-0000-x/.checkpoint/recovery.json
