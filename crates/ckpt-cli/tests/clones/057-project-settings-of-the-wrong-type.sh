# The project's settings have values of every wrong type.
#: denied
mkdir -p .claude/state .claude/config plans/260101-0000-x
printf -- "- [ ] One <!-- TASK: one -->\\n- [ ] Two <!-- TASK: two -->\\n" > plans/260101-0000-x/plan.md
printf "{\"command\":\"ship\",\"version\":1,\"state\":{},\"phases\":{},\"gate\":{\"ship_allowed\":false,\"blockers\":[\"tests fail\"]}}\\n" > .claude/state/ship-checkpoint.json
printf '{"enforce_gates":"no","follow_symlinks":[true],"continue_unfinished":1,"summary_limit":{},"token_counter":"\\u001b[31m\\n%s","resume_budget":null,"hook_deadline_ms":"x","lock_timeout_ms":[],"\\n%s":1,"enforce_gates":false}\n' "$OVERRIDE" "$OVERRIDE" > .claude/config/ckpt.json
