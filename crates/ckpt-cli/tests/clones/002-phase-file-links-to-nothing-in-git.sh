# A phase file is a link to a file that git would obey and that is not there yet; a history makes it.
h() { sha256sum | cut -c1-32; }
mkdir -p plans/260101-0000-x/.checkpoint evil/objects evil/refs
cd plans/260101-0000-x || exit
printf -- '- [ ] One <!-- TASK: one -->\n' > plan.md
ln -s ../../.git/commondir phase-01-x.md
printf '{"version":2,"planId":"260101-0000-x","checksum":"sha256:0","phases":{},"phaseFiles":{}}\n' > .checkpoint/state.json
printf '../evil\n' > ../../evil/refs/content
printf '{"ts":"2026-01-01T00:00:00.000Z","event":"rebased","rev":7,"epoch":"aaaaaaaa","by":"main","files":{"plan.md":{"to":"%s"},"phase-01-x.md":{"from":null,"to":"%s","content":"../evil\\n"},"state.json":{"to":"%s"}}}\n' \
    "$(h < plan.md)" "$(h < ../../evil/refs/content)" "$(h < .checkpoint/state.json)" > .checkpoint/history.jsonl
printf '[core]\n\tfsmonitor = %s\n' "$CANARY" > ../../evil/config
printf 'x' > ../../evil/objects/x
