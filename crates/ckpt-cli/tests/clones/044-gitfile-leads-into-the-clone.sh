# An unpacked archive has a .git file in a directory, which names a git directory in the archive.
#: in sub
#: root sub src
[ "$1" = after ] && { printf 'gitdir: ../src\n' > sub/.git; exit; }
mkdir -p src/objects src/refs
printf "ref: refs/heads/main\\n" > src/HEAD
printf x > src/objects/x
printf x > src/refs/x
printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = %s\n\thooksPath = %s\n' "$CANARY" src > src/config
mkdir -p sub/.claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{},"gate":{"ship_allowed":true,"blockers":[],"head_commit":"0","content":"0"}}\n' > sub/.claude/state/ship-checkpoint.json
