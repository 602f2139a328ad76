# The last line of a history is an event of 50 MB.
#: short
mkdir -p plans/260101-0000-x/.checkpoint
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
{
    printf '{"ts":"2026-01-01T00:00:00.000Z","event":"rebased","rev":7,"epoch":"aaaaaaaa","by":"main","files":{"plan.md":{"from":null,"to":"00000000000000000000000000000000","content":"'
    head -c 50000000 /dev/zero | tr '\0' a
    printf '"}}}\n'
} > plans/260101-0000-x/.checkpoint/history.jsonl
