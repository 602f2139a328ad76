# A history brings back files whose names lead out of the plan, and the plan itself is gone.
h() { sha256sum | cut -c1-32; }
mkdir -p plans/260101-0000-x/.checkpoint
evil='[core]\n\tfsmonitor = evil\n'
printf "$evil" > plans/260101-0000-x/.checkpoint/evil
hash=$(h < plans/260101-0000-x/.checkpoint/evil)
for name in ../../.git/config ../../.git/info/attributes ../../../outside/new "$OUTSIDE/new" phase-01-/../../../.git/x plan.md; do
    printf '{"ts":"2026-01-01T00:00:00.000Z","event":"rebased","rev":7,"epoch":"aaaaaaaa","by":"main","files":{"%s":{"from":null,"to":"%s","content":"[core]\\n\\tfsmonitor = evil\\n"},"state.json":{"to":null}}}\n' "$name" "$hash"
done > plans/260101-0000-x/.checkpoint/history.jsonl
printf '{"version":2,"planId":"260101-0000-x","planPath":"%s/plan.md","checksum":"sha256:0","phases":{"main":{"status":"pending","tasks":{"one":{"done":false}},"acceptance":{}}},"phaseFiles":{"../../.git/config":"sha256:0"}}\n' "$OUTSIDE" > plans/260101-0000-x/.checkpoint/state.json
