# The state of a plan names a device, a pipe and a directory as transcripts of sub-agents whose session is dead.
[ "$1" = after ] && { mkfifo pipe; exit; }
mkdir -p .claude/state/sessions plans/260101-0000-x/.checkpoint
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
agent() { printf '"%s":{"type":"fullstack","assignedTasks":[],"completedTasks":[],"startedAt":"2026-01-01T00:00:00.000Z","session":"s9","transcript":"%s"}' "$@"; }
printf '{"version":2,"planId":"260101-0000-x","checksum":"sha256:0","phases":{"main":{"status":"pending","tasks":{"one":{"done":false}},"acceptance":{}}},"agents":{%s,%s,%s,%s},"phaseFiles":{}}\n' \
    "$(agent a1 pipe)" "$(agent a2 /dev/zero)" "$(agent a3 /)" "$(agent a4 /dev/tty)" > plans/260101-0000-x/.checkpoint/state.json
printf '{"agent":"claude","session_id":"s9","host":"elsewhere","begun_at":"2026-01-01T00:00:00.000Z","seen_at":"2026-01-01T00:00:00.000Z"}\n' > .claude/state/sessions/s9.json
