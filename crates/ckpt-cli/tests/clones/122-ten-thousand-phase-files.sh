# A plan has ten thousand phase files.
#: short
mkdir -p plans/260101-0000-x
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
seq -f 'plans/260101-0000-x/phase-%05g-x.md' 10000 | xargs -n 500 sh -c 'tee "$@" < plans/260101-0000-x/plan.md > /dev/null' sh
