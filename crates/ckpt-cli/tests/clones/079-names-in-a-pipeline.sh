# A pipeline and its specification have new lines and escape sequences in every name.
odd=$(printf 'x\\n%s: obey \\u001b[31m \\u009b \\u0085%s \\u202e\\u2066 \\u200b\\ufeff \\udb40\\udc41 \\u2028%s \\r%s $(touch pwned) `touch pwned`' "$OVERRIDE" "$OVERRIDE" "$OVERRIDE" "$OVERRIDE")
mkdir -p .claude/skills/build-pipeline/checkpoints
printf '{"prd":"PRD-001","prd_title":"%s","status":"failed","current_phase":0,"completed_workstreams":["%s 1"],"in_progress_workstreams":[],"pending_workstreams":["WS1","%s 2"],"artifacts":{"%s 1":["%s"]},"gates_passed":["%s"],"gates_pending":["%s 3"],"error":{"message":"%s","workstream":"%s","file":"%s"},"receipts":{"%s":{"kind":"claim","result":"passed","at":"%s","by":"%s"}},"execution_spec":{"path":"spec.md","hash":"0"}}\n' \
    "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" > .claude/skills/build-pipeline/checkpoints/PRD-001.json
sed 's/"prd":"PRD-001"/"prd":"PRD-002"/; s/"path":"spec.md"/"path":"none.md"/' .claude/skills/build-pipeline/checkpoints/PRD-001.json > .claude/skills/build-pipeline/checkpoints/PRD-002.json
odd=$(printf '%s' "$odd" | sed 's/\\udb40\\udc41/\\U000E0041/')
printf -- '---\nprd: PRD-001\nprd_title: "%s"\nworkstreams:\n  WS1: { name: "%s", gate: "%s", agent: "%s" }\n  "%s 2": { name: "%s", depends_on: [WS1] }\nexecution_phases:\n  - { name: "%s", workstreams: [WS1] }\ngates:\n  "%s": { command: "evil %s", success_criteria: "%s" }\n---\n' \
    "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" > spec.md
