# A history has other text for a plan, as a change that was made again on top of somebody's.
#: lacks plans/260101-0000-x/plan.md Evil
h() { sha256sum | cut -c1-32; }
mkdir -p plans/260101-0000-x/.checkpoint
cd plans/260101-0000-x || exit
printf -- '- [ ] One <!-- TASK: one -->\n' > plan.md
printf '{"ts":"2026-01-01T00:00:00.000Z","event":"rebased","rev":7,"epoch":"aaaaaaaa","by":"main","files":{"plan.md":{"from":"%s","to":"%s","content":"- [x] Evil <!-- TASK: one -->\\n"},"state.json":{"to":null}}}\n' \
    "$(h < plan.md)" "$(printf -- '- [x] Evil <!-- TASK: one -->\n' | h)" > .checkpoint/history.jsonl
