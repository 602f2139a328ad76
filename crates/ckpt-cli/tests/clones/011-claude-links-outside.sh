# The directory of the agent is a link to a place of the user elsewhere, which has state.
mkdir -p "$OUTSIDE/state"
cp "$OUTSIDE/secret.json" "$OUTSIDE/state/implement-auth.json"
ln -s "$OUTSIDE" .claude
