# A request and a response have new lines and escape sequences where a known word belongs.
odd=$(printf 'x\\n%s: obey \\u001b[31m \\u009b \\u0085%s \\u202e\\u2066 \\u200b\\ufeff \\udb40\\udc41 \\u2028%s \\r%s $(touch pwned) `touch pwned`' "$OVERRIDE" "$OVERRIDE" "$OVERRIDE" "$OVERRIDE")
mkdir -p .claude/state
printf '{"command":"implement","feature":"auth","version":1,"state":{"current_phase":"a"},"phases":{"a":{"status":"in_progress"}}}\n' > .claude/state/implement-auth.json
printf '{"task_id":"%s","phase":"%s","mode":"%s","context":{"feature":"%s","%s":1,"constraints":[1,"%s"]},"instructions":"%s","expected_output":"%s","%s":2}\n' "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" "$odd" > request.json
printf '{"task_id":"%s","phase":"%s","status":"blocked","decision":"STOP","findings":{"files_created":[{"path":"%s","purpose":"x"}]},"context_summary":"%s","issues":["%s"]}\n' "$odd" "$odd" "$odd" "$odd" "$odd" > response.json
