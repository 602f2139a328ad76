# A plan has eighty thousand decisions, blockers and tasks with the same ids.
#: short
mkdir -p plans/260101-0000-x plans/260101-0000-y
seq -f '<!-- DECISION: d%.0f -->' 80000 > plans/260101-0000-x/plan.md
printf -- '- [ ] One <!-- TASK: one -->\n' >> plans/260101-0000-x/plan.md
{ seq -f '<!-- BLOCKER: d%.0f -->' 20000; yes -- '- [ ] One <!-- TASK: one -->' | head -n 20000; yes -- '- [ ] Two' | head -n 20000; } > plans/260101-0000-y/plan.md
