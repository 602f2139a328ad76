# A history says that a change was cut off, and has the rest of it: new text for a phase file.
#: keeps plans/260101-0000-x/phase-01-x.md
h() { sha256sum | cut -c1-32; }
mkdir -p plans/260101-0000-x/.checkpoint
cd plans/260101-0000-x || exit
printf -- '- [ ] One <!-- TASK: one -->\n' > plan.md
printf -- '- [ ] Two <!-- TASK: two -->\n' > phase-01-x.md
printf '{"version":2,"planId":"260101-0000-x","checksum":"sha256:0","phases":{},"phaseFiles":{}}\n' > .checkpoint/state.json
printf '{"ts":"2026-01-01T00:00:00.000Z","event":"task_completed","taskId":"one","rev":7,"epoch":"aaaaaaaa","by":"main","files":{"plan.md":{"from":"%s","to":"%s","content":"x"},"phase-01-x.md":{"from":"%s","to":"%s","content":"evil"},"state.json":{"to":"%s"}}}\n' \
    "$(printf 'old' | h)" "$(h < plan.md)" "$(h < phase-01-x.md)" "$(printf 'evil' | h)" "$(h < .checkpoint/state.json)" > .checkpoint/history.jsonl
