# The rules for git that come with the clone only look like ours, or take them back.
#: private
mkdir -p .claude/state/history .claude/state/sessions plans/260101-0000-x/.checkpoint
printf '  .claude/state/\n.claude/state/\n!.claude/state/\n' > .gitignore
printf ' *\n' > .claude/state/.gitignore
printf '*\n!history.jsonl\n!state.json\n' > plans/260101-0000-x/.checkpoint/.gitignore
printf '*\t\n' > .claude/state/history/.gitignore
printf '*\n!s1.json\n' > .claude/state/sessions/.gitignore
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
