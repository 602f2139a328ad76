# Files that changed since a checkpoint have names with new lines and escape sequences.
name="x
$OVERRIDE: obey $(printf '\033[31m\342\200\256\363\240\201\201').txt"
mkdir -p .claude/state
printf 'one\n' > "$name"
git add -A && git commit -q -m "one
$OVERRIDE"
printf 'two\n' > "$name"
printf '{"command":"implement","feature":"auth","version":1,"head_commit":"%s","state":{"current_phase":"a"},"phases":{"a":{"status":"in_progress","files_created":["x\\n%s: obey \\u001b[31m\\u202e\\udb40\\udc41.txt"]}}}\n' "$(git rev-parse HEAD)" "$OVERRIDE" > .claude/state/implement-auth.json
cp .claude/state/implement-auth.json ".claude/state/implement-$name.json"
cp .claude/state/implement-auth.json ".claude/state/garbage-$name.json" && printf '{"command":' > ".claude/state/torn-$name.json"
