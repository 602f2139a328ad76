# The files that say what git ignores are links to git's settings.
mkdir -p .claude/state plans/260101-0000-x/.checkpoint
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
ln -s .git/config .gitignore
ln -s ../../.git/config .claude/state/.gitignore
ln -s ../../../.git/config plans/260101-0000-x/.checkpoint/.gitignore
