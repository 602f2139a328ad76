# Hooks of an old version, which another client takes for a bare ckpt: each of its tool calls would be refused.
#: one-line
mkdir -p .claude
for event in SessionStart SessionEnd UserPromptSubmit Stop PreCompact; do
    printf '"%s":[{"hooks":[{"type":"command","command":"ckpt","args":["hook","claude"],"timeout":10}]}],' "$event"
done > hooks
printf '{"hooks":{%s"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"%s","args":["hook","claude"]}]}]}}\n' "$(cat hooks)" "$CKPT" | tee .claude/settings.json > .claude/settings.local.json
rm hooks
