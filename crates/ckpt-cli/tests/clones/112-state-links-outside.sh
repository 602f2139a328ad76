# The state directory is a link to a place of the user elsewhere, and the first hook writes its log there.
mkdir -p .claude "$OUTSIDE/state"
cp "$OUTSIDE/secret.json" "$OUTSIDE/state/implement-auth.json"
printf '{"files":[{"path":".gitignore","created":true,"edit":[[0,"","x"]]}]}\n' > "$OUTSIDE/state/receipt.json"
ln -s "$OUTSIDE/state" .claude/state
