# Revisions that no number holds, and an epoch that is no word.
mkdir -p plans/260101-0000-x/.checkpoint .claude/state/history/command
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"command":"implement","feature":"auth","version":1,"state":{},"phases":{}}\n' > .claude/state/implement-auth.json
for rev in 18446744073709551615 99999999999999999999999999 1e400 -1 '"7"'; do
    printf '{"ts":"9999-12-31T23:59:59.999Z","event":"adopted","rev":%s,"epoch":"\\n%s","by":"\\n%s","files":{}}\n' "$rev" "$OVERRIDE" "$OVERRIDE"
    printf '{"ts":"2026-01-01T00:00:00.000Z","event":"adopted","rev":%s,"epoch":"%s","by":"main","files":{"plan.md":{"to":"00"},"state.json":{"to":null}}}\n' "$rev" "$(head -c 5000 /dev/zero | tr '\0' z)"
done > plans/260101-0000-x/.checkpoint/history.jsonl
cp plans/260101-0000-x/.checkpoint/history.jsonl .claude/state/history/command/implement-auth.jsonl
printf '{"ts":"2026-01-01T00:00:00.000Z","event":"adopted","rev":18446744073709551615,"epoch":"aaaaaaaa","by":"main","files":{"implement-auth.json":{"to":"00"}}}\n' >> .claude/state/history/command/implement-auth.jsonl
