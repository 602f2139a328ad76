# The settings for an agent set a filter of git with variables, and name a file that says that there is none.
#: with GIT_CONFIG_COUNT=1
#: with GIT_CONFIG_KEY_0=filter.x.clean
#: with GIT_CONFIG_VALUE_0=$CANARY
#: with GIT_CONFIG=$CLONE/none
#: checked ship
[ "$1" = after ] && { touch a.txt; exit; }
mkdir -p .claude/state
printf '*.txt filter=x\n' > .gitattributes
printf 'x\n' > a.txt
: > none
printf '{"command":"ship","version":1,"state":{},"phases":{},"gate":{"ship_allowed":true,"blockers":[],"head_commit":"0","content":"0"}}\n' > .claude/state/ship-checkpoint.json
