# A plan, a checkpoint and a pipeline as honest people commit them.
#: says implement/auth
#: says 260101-0000-x
#: says PRD-001
mkdir -p plans/260101-0000-x .claude/skills/build-pipeline/checkpoints
printf '# Login\n\n## Setup <!-- CHECKPOINT: setup -->\n- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n' > plans/260101-0000-x/plan.md
git add -A && git commit -q -m first
"$CKPT" start implement auth --phases build,test
printf -- '---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data, gate: tests }\n  WS2: { name: Pages, depends_on: [WS1] }\ngates:\n  tests: { command: "true" }\n---\n' > spec.md
"$CKPT" pipeline init spec.md
printf '{"task_id":"T1","phase":"write","status":"complete","decision":"PROCEED","findings":{},"context_summary":"Done."}\n' > response.json
