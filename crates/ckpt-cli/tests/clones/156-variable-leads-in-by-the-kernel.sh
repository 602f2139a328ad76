# The settings for an agent name settings of git by a path that means another file to git than to ckpt.
#: with GIT_CONFIG_GLOBAL=/proc/self/cwd/evil
#: checked ship
[ "$1" = after ] && { touch a.txt; exit; }
mkdir -p .claude/state
printf '[filter "x"]\n\tclean = %s\n' "$CANARY" > evil
printf '*.txt filter=x\n' > .gitattributes
printf 'x\n' > a.txt
printf '{"command":"ship","version":1,"state":{},"phases":{},"gate":{"ship_allowed":true,"blockers":[],"head_commit":"0","content":"0"}}\n' > .claude/state/ship-checkpoint.json
