# The settings of agents are links to files of the user elsewhere.
printf '{ "token": "%s" }\n' "$SECRET" > "$OUTSIDE/settings.json"
mkdir -p .claude .codex .gemini .cursor .github/copilot .github/hooks
for name in .claude/settings.json .claude/settings.local.json .codex/hooks.json .gemini/settings.json .cursor/hooks.json \
    .github/copilot/settings.local.json .github/hooks/ckpt.json; do
    ln -s "$OUTSIDE/settings.json" "$name"
done
