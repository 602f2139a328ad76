# The project's settings leave no time to a hook, so that each leaves long work to a process of its own.
#: short
#: with CKPT_HOOK_DEADLINE_MS=
#: one-late
mkdir -p .claude/state .claude/config plans/260101-0000-x
seq -f '<!-- DECISION: d%.0f -->' 20000 > plans/260101-0000-x/plan.md
printf -- '- [ ] One <!-- TASK: one -->\n' >> plans/260101-0000-x/plan.md
printf '{"hook_deadline_ms":1,"lock_timeout_ms":0,"resume_budget":0,"summary_limit":0}\n' > .claude/config/ckpt.json
