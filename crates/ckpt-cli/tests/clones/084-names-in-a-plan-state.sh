# The state of a plan has new lines and escape sequences in the names of agents, in notes and in what dead ones left.
odd=$(printf 'x\\n%s: obey \\u001b[31m \\u009b \\u0085%s \\u202e\\u2066 \\u200b\\ufeff \\udb40\\udc41 \\u2028%s \\r%s $(touch pwned) `touch pwned`' "$OVERRIDE" "$OVERRIDE" "$OVERRIDE" "$OVERRIDE")
mkdir -p plans/260101-0000-x/.checkpoint
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"version":2,"planId":"%s","planPath":"%s","lastCheckpoint":"%s","checksum":"%s","phases":{"main":{"status":"%s","tasks":{"one":{"done":false,"completedBy":"%s"}},"acceptance":{}}},"currentPhase":"%s","currentTask":"%s","blockers":["%s"],"decisions":[{"decision":"%s","by":"%s","reason":"%s"}],"sessionNotes":"%s","agents":{"%s":{"type":"%s","assignedTasks":["one"],"died":true,"endedAt":"2026-01-01T00:00:00.000Z","handoff":{"task_id":"%s","context_summary":"%s","issues":["%s"],"findings":{"files_created":[{"path":"%s"}]}}}},"phaseFiles":{"%s":"x"}}\n' \
    "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" > plans/260101-0000-x/.checkpoint/state.json
