# Files that git itself reads from the work tree are links to devices and to files of the user.
[ "$1" = after ] && { rm -f .gitattributes .gitignore; mkfifo .gitattributes; ln -s /dev/zero .gitignore; exit; }
mkdir -p .claude/state
printf '* text\n' > .gitattributes
printf '{"command":"ship","version":1,"state":{},"phases":{},"gate":{"ship_allowed":true,"blockers":[],"head_commit":"0","content":"0"}}\n' > .claude/state/ship-checkpoint.json
printf '{"command":"implement","feature":"auth","version":1,"head_commit":"0000000000000000000000000000000000000000","state":{},"phases":{}}\n' > .claude/state/implement-auth.json
