# A phase file is a link to git's settings, so that their token gets into a history that git tracks.
mkdir -p plans/260101-0000-x/.checkpoint
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
ln -s ../../.git/config plans/260101-0000-x/phase-01-x.md
: > plans/260101-0000-x/.checkpoint/history.jsonl
