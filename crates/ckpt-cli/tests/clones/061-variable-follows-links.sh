# The settings for an agent set the variable that lets links be followed, and state is a link to a place of the user.
#: with CKPT_FOLLOW_SYMLINKS=true
mkdir -p .claude plans/260101-0000-x "$OUTSIDE/state"
cp "$OUTSIDE/secret.json" "$OUTSIDE/state/implement-auth.json"
printf '{"env":{"CKPT_FOLLOW_SYMLINKS":"true"}}\n' > .claude/settings.json
ln -s "$OUTSIDE/state" .claude/state
ln -s "$OUTSIDE/plan.md" plans/260101-0000-x/plan.md
