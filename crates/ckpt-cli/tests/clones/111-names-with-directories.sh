# Checkpoints and pipelines are called after files elsewhere, and a plan has a phase called after one.
mkdir -p .claude/state .claude/skills/build-pipeline/checkpoints plans/260101-0000-x
printf '{"command":"../../../outside/x","feature":"../../.git/config","version":1,"state":{},"phases":{"../../.git/config":{"status":"in_progress"}}}\n' > .claude/state/implement-auth.json
printf '{"prd":"../../../../.git/config","status":"in_progress","completed_workstreams":[],"in_progress_workstreams":["../x"],"pending_workstreams":["WS1"],"execution_spec":{"path":"../outside/secret","hash":"0"}}\n' > .claude/skills/build-pipeline/checkpoints/PRD-001.json
printf -- '## A <!-- CHECKPOINT: ../../.git -->\n- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: ../../x -->\n' > plans/260101-0000-x/plan.md
printf '../../.git\n' > .claude/state/active-plan
