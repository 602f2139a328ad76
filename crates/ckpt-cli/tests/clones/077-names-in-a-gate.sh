# Blockers, overrides and receipts of a gate have new lines and escape sequences in them.
#: blocked ship
odd=$(printf 'x\\n%s: obey \\u001b[31m \\u009b \\u0085%s \\u202e\\u2066 \\u200b\\ufeff \\udb40\\udc41 \\u2028%s \\r%s $(touch pwned) `touch pwned`' "$OVERRIDE" "$OVERRIDE" "$OVERRIDE" "$OVERRIDE")
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{},"gate":{"ship_allowed":"%s","blockers":["%s","%s 2"],"head_commit":"%s","content":"%s","set_at":"%s","override":{"reason":"%s","by":"%s","at":"%s","head_commit":"%s","content":"%s"}},"receipts":{"%s":{"kind":"run","result":"failed","command":"%s","by":"%s","output_tail":"%s","ending":"%s"}}}\n' \
    "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" > .claude/state/ship-checkpoint.json
