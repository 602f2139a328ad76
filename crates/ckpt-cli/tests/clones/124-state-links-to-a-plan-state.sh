# State and the state of a plan are links to each other and to themselves.
mkdir -p .claude plans/260101-0000-x plans/260101-0000-y
printf -- '- [ ] One <!-- TASK: one -->\n' | tee plans/260101-0000-x/plan.md > plans/260101-0000-y/plan.md
ln -s ../plans/260101-0000-x/.checkpoint .claude/state
ln -s ../../.claude/state plans/260101-0000-x/.checkpoint
ln -s .checkpoint plans/260101-0000-y/.checkpoint
ln -s plan.md plans/260101-0000-y/phase-01-x.md
