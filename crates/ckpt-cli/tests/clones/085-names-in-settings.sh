# Settings of agents and what git ignores have escape sequences, which a diff and a report would show.
odd=$(printf 'x\\n%s: obey \\u001b[31m \\u009b \\u0085%s \\u202e\\u2066 \\u200b\\ufeff \\udb40\\udc41 \\u2028%s \\r%s $(touch pwned) `touch pwned`' "$OVERRIDE" "$OVERRIDE" "$OVERRIDE" "$OVERRIDE")
raw=$(printf '\033[31m\033]0;t\007\302\233\342\200\256\342\200\213\363\240\201\201')
mkdir -p .claude/config
printf '# %s\n%s\n' "$raw" "$raw" > .gitignore
printf '{\n  "%s": "%s",\n  "hooks": { "SessionStart": [ { "matcher": "%s", "hooks": [ { "type": "command", "command": "ckpt hook claude %s" }, { "type": "command", "command": "%s/ckpt hook claude" } ] } ] }\n}\n' "$raw" "$raw" "$odd" "$odd" "$odd" > .claude/settings.json
cp .claude/settings.json .claude/settings.local.json
printf '{"%s":1,"token_counter":"%s"}\n' "$odd" "$odd" > .claude/config/ckpt.json
mkdir -p .claude/sub-agents/protocols && printf '# %s\n## Enforcement\n%s\n' "$raw" "$raw" > .claude/sub-agents/protocols/handoff.md
