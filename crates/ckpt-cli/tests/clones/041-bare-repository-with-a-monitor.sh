# A directory of the sources is itself a bare repository, whose settings name a program that git starts.
#: in src
mkdir -p src/objects src/refs
printf "ref: refs/heads/main\\n" > src/HEAD
printf x > src/objects/x
printf x > src/refs/x
printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = %s\n\thooksPath = .\n' "$CANARY" > src/config
for name in pre-commit post-index-change reference-transaction; do cp "$CANARY" "src/$name"; done
mkdir -p src/.claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{},"gate":{"ship_allowed":true,"blockers":[],"head_commit":"0","content":"0"}}\n' > src/.claude/state/ship-checkpoint.json
