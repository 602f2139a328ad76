# Checkpoints and a plan's state are links to files of the user elsewhere.
mkdir -p plans/260101-0000-x/.checkpoint .claude/state .claude/skills/build-pipeline/checkpoints
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
ln -s "$OUTSIDE/secret.json" plans/260101-0000-x/.checkpoint/state.json
ln -s "$OUTSIDE/secret.json" plans/260101-0000-x/.checkpoint/recovery.json
ln -s "$OUTSIDE/secret.json" .claude/state/implement-auth.json
ln -s "$OUTSIDE/secret.json" .claude/skills/build-pipeline/checkpoints/PRD-001.json
ln -s "$OUTSIDE/secret.json" request.json
