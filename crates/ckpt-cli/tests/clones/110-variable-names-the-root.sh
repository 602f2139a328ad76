# The settings for an agent say that the root of the repository is a place of the user.
#: hooks-with GIT_ROOT=$OUTSIDE
mkdir -p .claude/state "$OUTSIDE/.claude/state"
printf '{"env":{"GIT_ROOT":"/"}}\n' > .claude/settings.json
cp "$OUTSIDE/secret.json" "$OUTSIDE/.claude/state/implement-auth.json"
