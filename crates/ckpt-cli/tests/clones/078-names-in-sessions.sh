# Records of sessions have new lines in the name of the agent and in times.
#: never died without SessionEnd
#: never has been running
odd=$(printf 'x\\n%s: obey \\u001b[31m \\u009b \\u0085%s \\u202e\\u2066 \\u200b\\ufeff \\udb40\\udc41 \\u2028%s \\r%s $(touch pwned) `touch pwned`' "$OVERRIDE" "$OVERRIDE" "$OVERRIDE" "$OVERRIDE")
mkdir -p .claude/state/sessions plans/260101-0000-x
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"agent":"%s","session_id":"s9","host":"%s","begun_at":"%s","seen_at":"2026-01-01T00:00:00.000Z"}\n' "$odd" "$odd" "$odd" > .claude/state/sessions/s9.json
printf '{"agent":"%s","session_id":"s8","host":"elsewhere","begun_at":"%s","seen_at":"2999-01-01T00:00:00.000Z"}\n' "$odd" "$odd" > .claude/state/sessions/s8.json
