# Plans, their states and their histories are pipes that nobody writes to.
[ "$1" = after ] || { mkdir -p plans/260101-0000-w plans/260101-0000-x; printf -- '- [ ] One <!-- TASK: one -->\n' | tee plans/260101-0000-x/plan.md > plans/260101-0000-w/plan.md; exit; }
mkdir -p plans/260101-0000-x/.checkpoint plans/260101-0000-w/.checkpoint plans/260101-0000-z
cd plans || exit
mkfifo 260101-0000-z/plan.md 260101-0000-x/phase-01-x.md 260101-0000-x/.checkpoint/state.json 260101-0000-x/.checkpoint/.gitignore \
    260101-0000-x/.checkpoint/recovery.json 260101-0000-w/.checkpoint/history.jsonl
