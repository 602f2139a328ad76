# The project's settings have numbers that no clock and no memory holds.
#: denied
mkdir -p .claude/state .claude/config plans/260101-0000-x
printf -- "- [ ] One <!-- TASK: one -->\\n- [ ] Two <!-- TASK: two -->\\n" > plans/260101-0000-x/plan.md
printf "{\"command\":\"ship\",\"version\":1,\"state\":{},\"phases\":{},\"gate\":{\"ship_allowed\":false,\"blockers\":[\"tests fail\"]}}\\n" > .claude/state/ship-checkpoint.json
printf '{"summary_limit":18446744073709551615,"resume_budget":99999999999999999999999,"hook_deadline_ms":18446744073709551615,"lock_timeout_ms":1e308,"more":1e999}\n' > .claude/config/ckpt.json
