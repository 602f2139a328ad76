# Files that a process which goes on later could take for events, locks and plans of its own.
mkdir -p .claude/state/late .claude/state/pending .claude/state/queue .claude/state/hooks
event="{\"hook_event_name\":\"SessionStart\",\"session_id\":\"s9\",\"cwd\":\"$OUTSIDE\",\"transcript_path\":\"$OUTSIDE/transcript.jsonl\"}"
for name in late.json late/1.json pending/1.json queue/1.json hooks/1.json late.jsonl event.json late.lock; do
    printf '%s\n' "$event" > ".claude/state/$name"
done
printf '{"ts":"2026-01-01T00:00:00.000Z","agent":"claude","event":"SessionEnd","us":1,"handed_on":true,"input":%s}\n' "$event" > .claude/state/hooks.jsonl
mkdir -p .claude/state/locks && printf 'process 1 (write)\n' > .claude/state/locks/command.lock
