# Locks are links to git's settings, so that whoever takes one writes there.
mkdir -p .claude/state/locks plans/260101-0000-x
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
for lock in command sessions init pipeline plan-260101-0000-x plans hooks; do
    ln -s ../../../.git/config ".claude/state/locks/$lock.lock"
done
