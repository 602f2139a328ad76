# The state of a plan is damaged, and the copy that it comes back from is the attacker's.
mkdir -p plans/260101-0000-x/.checkpoint
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf 'garbage' > plans/260101-0000-x/.checkpoint/state.json
printf '{"savedAt":"2026-01-01T00:00:00.000Z","reason":"periodic","rev":"1-aaaaaaaa","state":{"version":2,"planId":"260101-0000-x","planPath":"%s/secret","checksum":"sha256:0","phases":{"main":{"status":"completed","tasks":{"one":{"done":true,"completedBy":"main"}}}},"agents":{"a9":{"type":"Evil","session":"s9","transcript":"%s/transcript.jsonl","assignedTasks":["one"]}},"sessionNotes":null}}\n' "$OUTSIDE" "$OUTSIDE" > plans/260101-0000-x/.checkpoint/recovery.json
mkdir -p .claude/state/sessions
printf '{"agent":"claude","session_id":"s9","host":"elsewhere","begun_at":"2026-01-01T00:00:00.000Z","seen_at":"2026-01-01T00:00:00.000Z"}\n' > .claude/state/sessions/s9.json
