# The project's settings are a link to a device that never ends.
mkdir -p .claude/config .claude/state
ln -s /dev/zero .claude/config/ckpt.json
ln -s /dev/zero .claude/settings.json
ln -s /dev/zero .gitignore
