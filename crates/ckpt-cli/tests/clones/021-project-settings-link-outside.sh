# The project's settings are a link to a file of the user elsewhere, whose content an error would show.
mkdir -p .claude/config
ln -s "$OUTSIDE/secret" .claude/config/ckpt.json
