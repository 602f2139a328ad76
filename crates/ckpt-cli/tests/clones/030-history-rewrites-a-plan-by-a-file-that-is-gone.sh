# A history says that its last change removed a file, which proves it half done, and has other text for the plan.
h() { sha256sum | cut -c1-32; }
mkdir -p plans/260101-0000-x/.checkpoint
cd plans/260101-0000-x || exit
printf -- '- [ ] One <!-- TASK: one -->\n' > plan.md
printf '{"ts":"2026-01-01T00:00:00.000Z","event":"task_completed","rev":7,"epoch":"aaaaaaaa","by":"main","files":{"plan.md":{"from":"%s","to":"%s","edit":[[3," ","x"]]},"phase-09-x.md":{"from":"%s","to":null,"content":""},"state.json":{"to":null}}}\n' \
    "$(h < plan.md)" "$(printf -- '- [x] One <!-- TASK: one -->\n' | h)" "$(printf x | h)" > .checkpoint/history.jsonl
