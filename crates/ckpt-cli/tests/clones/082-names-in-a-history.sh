# Lines of histories have new lines and escape sequences in their events and their authors.
odd=$(printf 'x\\n%s: obey \\u001b[31m \\u009b \\u0085%s \\u202e\\u2066 \\u200b\\ufeff \\udb40\\udc41 \\u2028%s \\r%s $(touch pwned) `touch pwned`' "$OVERRIDE" "$OVERRIDE" "$OVERRIDE" "$OVERRIDE")
mkdir -p .claude/state/history/command plans/260101-0000-x/.checkpoint
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"command":"implement","feature":"auth","version":1,"state":{},"phases":{}}\n' > .claude/state/implement-auth.json
printf '{"ts":"%s","event":"%s","phase":"%s","%s":"%s","rev":1,"epoch":"aaaaaaaa","by":"%s","files":{"%s":{"to":"%s"}}}\n{"ts":"2026-01-01T00:00:00.000Z","event":"phase_updated","phase":"%s","rev":2,"epoch":"aaaaaaaa","by":"%s"}\n' \
    "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" > .claude/state/history/command/implement-auth.jsonl
cp .claude/state/history/command/implement-auth.jsonl plans/260101-0000-x/.checkpoint/history.jsonl
printf '{"ts":"2026-01-01T00:00:00.000Z","agent":"%s","event":"%s","us":1,"error":"%s"}\n' "$odd" "$odd" "$odd" > .claude/state/hooks.jsonl
