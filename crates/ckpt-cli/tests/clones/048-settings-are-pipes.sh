# Settings are pipes that nobody writes to.
[ "$1" = after ] || { mkdir -p .claude/config .claude/state; printf x > .claude/config/x; exit; }
mkdir -p .claude/config .claude/state .codex
mkfifo .claude/config/ckpt.json .claude/settings.json .claude/settings.local.json .codex/hooks.json .gitignore
