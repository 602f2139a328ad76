# A gate is blocked, and a push is written in ways that are hard to recognise.
#: blocked ship
#: every-push
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{},"gate":{"ship_allowed":false,"blockers":["tests fail"]}}\n' > .claude/state/ship-checkpoint.json
