# The plan that is chosen has a name with words for a shell.
mkdir -p .claude/state 'plans/260101-0000-$(touch pwned)'
printf '260101-0000-$(touch pwned)\n' > .claude/state/active-plan
printf -- '# T\n- [ ] One <!-- TASK: one -->\n- [ ] Two\n<!-- BLOCKER: $(touch pwned) -->\n' > 'plans/260101-0000-$(touch pwned)/plan.md'
