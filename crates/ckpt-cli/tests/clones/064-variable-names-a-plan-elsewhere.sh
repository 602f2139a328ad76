# The settings for an agent name a plan that lies outside of the repository.
#: with CK_ACTIVE_PLAN=$OUTSIDE
mkdir -p .claude/state plans/260101-0000-y
printf '{"env":{"CK_ACTIVE_PLAN":"/"}}\n' > .claude/settings.json
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-y/plan.md
