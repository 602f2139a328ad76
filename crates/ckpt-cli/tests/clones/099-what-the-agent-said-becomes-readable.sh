# A plan without a state waits for what the agent says last, in a file that everybody can read.
#: private
mkdir -p plans/260101-0000-x .claude
printf '!.claude/state/\n!plans/*/.checkpoint/\n!*\n' > .gitignore
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
