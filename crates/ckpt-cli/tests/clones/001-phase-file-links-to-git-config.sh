# A phase file is a link to git's settings, and a history "finishes" a change of it that names a program.
if [ "$1" = after ]; then
    h() { sha256sum | cut -c1-32; }
    # Everybody who knows the address of the clone knows this file.
    config=$(h < .git/config)
    printf '[core]\n\tfsmonitor = %s\n' "$CANARY" > ../evil
    files=$(printf '{"plan.md":{"to":"%s"},"phase-01-x.md":{"from":"%s","to":"%s","content":"[core]\\n\\tfsmonitor = %s\\n"},"state.json":{"to":"%s"}}' \
        "$(h < plans/260101-0000-x/plan.md)" "$config" "$(h < ../evil)" "$CANARY" "$(h < plans/260101-0000-x/.checkpoint/state.json)")
    printf '{"ts":"2026-01-01T00:00:00.000Z","event":"rebased","rev":7,"epoch":"aaaaaaaa","by":"main","files":%s}\n' "$files" > plans/260101-0000-x/.checkpoint/history.jsonl
    exit
fi
mkdir -p plans/260101-0000-x/.checkpoint
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
ln -s ../../.git/config plans/260101-0000-x/phase-01-x.md
printf '{"version":2,"planId":"260101-0000-x","checksum":"sha256:0","phases":{},"phaseFiles":{}}\n' > plans/260101-0000-x/.checkpoint/state.json
