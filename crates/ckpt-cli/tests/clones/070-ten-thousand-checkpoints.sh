# Ten thousand checkpoints and as many sessions, which are two small objects to git.
#: short
mkdir -p .claude/state/sessions
cd .claude/state || exit
printf '{"command":"implement","version":1,"state":{},"phases":{}}\n' > implement-auth.json
printf '{"agent":"claude","session_id":"s","host":"elsewhere","begun_at":"2026-01-01T00:00:00.000Z","seen_at":"2026-01-01T00:00:00.000Z"}\n' > sessions/s.json
seq -f implement-%05g.json 10000 | xargs -n 500 sh -c 'tee "$@" < implement-auth.json > /dev/null' sh
cd sessions || exit
seq -f s%05g.json 10000 | xargs -n 500 sh -c 'tee "$@" < s.json > /dev/null' sh
