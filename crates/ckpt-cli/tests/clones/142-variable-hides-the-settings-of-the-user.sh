# The settings for an agent name a file that is not there as the user's own settings, so that nothing is enforced.
#: with CKPT_CONFIG=/nowhere/config.json
#: denied
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{},"gate":{"ship_allowed":false,"blockers":["tests fail"]}}\n' > .claude/state/ship-checkpoint.json
