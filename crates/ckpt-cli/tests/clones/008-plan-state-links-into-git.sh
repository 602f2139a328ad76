# The directory of a plan's state is a link to git's own.
mkdir -p plans/260101-0000-x
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
ln -s ../../.git plans/260101-0000-x/.checkpoint
