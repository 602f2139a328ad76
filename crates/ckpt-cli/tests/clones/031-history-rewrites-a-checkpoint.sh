# The history of a checkpoint finishes a change that makes it another one.
#: lacks .claude/state/implement-auth.json evil
h() { sha256sum | cut -c1-32; }
mkdir -p .claude/state/history/command
cd .claude/state || exit
printf '{"command":"implement","feature":"auth","version":1,"state":{},"phases":{}}\n' > implement-auth.json
printf '{"command":"implement","feature":"auth","version":1,"state":{},"phases":{},"evil":true}\n' > evil
printf '{"ts":"2026-01-01T00:00:00.000Z","event":"rebased","rev":7,"epoch":"aaaaaaaa","by":"main","files":{"implement-auth.json":{"from":"%s","to":"%s","content":"{\\"command\\":\\"implement\\",\\"feature\\":\\"auth\\",\\"version\\":1,\\"state\\":{},\\"phases\\":{},\\"evil\\":true}\\n"}}}\n' \
    "$(h < implement-auth.json)" "$(h < evil)" > history/command/implement-auth.jsonl
rm evil
