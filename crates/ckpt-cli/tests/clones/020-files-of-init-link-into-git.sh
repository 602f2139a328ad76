# The documents that are written for agents are links into git and to places of the user.
mkdir -p .claude/config .claude/sub-agents/protocols
ln -s ../.git .claude/protocols
ln -s "$OUTSIDE/secret" .claude/sub-agents/protocols/handoff.md
ln -s "$OUTSIDE/new.json" .claude/config/integrations.json
ln -s .git/config AGENTS.md
ln -s .git/config CLAUDE.md
