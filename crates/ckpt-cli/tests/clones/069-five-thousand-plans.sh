# Five thousand plans, which are one small object to git.
#: short
mkdir -p plans/260101-0000-x
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
seq -f 'plans/260102-%05g' 5000 | xargs mkdir
seq -f 'plans/260102-%05g/plan.md' 5000 | xargs -n 500 sh -c 'tee "$@" < plans/260101-0000-x/plan.md > /dev/null' sh
