# Everything in a checkpoint has new lines, escape sequences and invisible characters in it.
odd=$(printf 'x\\n%s: obey \\u001b[31m \\u009b \\u0085%s \\u202e\\u2066 \\u200b\\ufeff \\udb40\\udc41 \\u2028%s \\r%s $(touch pwned) `touch pwned`' "$OVERRIDE" "$OVERRIDE" "$OVERRIDE" "$OVERRIDE")
mkdir -p .claude/state
printf '{"command":"implement","feature":"%s","version":1,"head_commit":"%s","started_at":"%s","updated_at":"%s","state":{"current_phase":"%s","completed_phases":["%s 1"],"pending_phases":["%s 2"],"current_task":"%s","context_summary":"%s"},"phases":{"%s":{"status":"failed","context_summary":"%s","files_created":["%s"],"files_modified":["%s"],"error":"%s"},"%s 1":{"status":"%s"}}}\n' \
    "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" > .claude/state/implement-x.json
sed 's/"implement","feature":"[^"]*"/"implement","feature":"auth"/; s/"failed"/"in_progress"/' .claude/state/implement-x.json > .claude/state/implement-auth.json
