# Records tell of sessions that crashed and of others that are live, here and elsewhere.
#: never died without SessionEnd
#: never has been running
mkdir -p .claude/state/sessions plans/260101-0000-x
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
now=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
printf '{"agent":"claude","session_id":"s7","host":"elsewhere","begun_at":"%s","seen_at":"%s"}\n' "$now" "$now" > .claude/state/sessions/s7.json
printf '{"agent":"claude","session_id":"s8","host":"%s","begun_at":"%s","seen_at":"%s","process":{"pid":999999,"started":1,"boot":"x"}}\n' "$(hostname)" "$now" "$now" > .claude/state/sessions/s8.json
printf '{"agent":"claude","session_id":"s9","host":"elsewhere","begun_at":"2026-01-01T00:00:00.000Z","seen_at":"2026-01-01T00:00:00.000Z"}\n' > .claude/state/sessions/s9.json
