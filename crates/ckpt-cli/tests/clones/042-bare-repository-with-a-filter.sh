# A directory of the sources is itself a bare repository, whose settings name a filter that git runs over every file.
#: in src
mkdir -p src/objects src/refs
printf "ref: refs/heads/main\\n" > src/HEAD
printf x > src/objects/x
printf x > src/refs/x
printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n[filter "evil"]\n\tclean = %s\n\tsmudge = %s\n\tprocess = %s\n[diff "evil"]\n\ttextconv = %s\n\tcommand = %s\n' "$CANARY" "$CANARY" "$CANARY" "$CANARY" "$CANARY" > src/config
printf '* filter=evil diff=evil\n' > src/.gitattributes
mkdir -p src/.claude/state src/plans/260101-0000-x
printf -- '- [ ] One <!-- TASK: one -->\n' > src/plans/260101-0000-x/plan.md
printf '{"command":"ship","version":1,"head_commit":"0000000000000000000000000000000000000000","state":{},"phases":{"a":{"status":"complete","files_modified":["x"]}},"gate":{"ship_allowed":true,"blockers":[],"head_commit":"0","content":"0"}}\n' > src/.claude/state/ship-checkpoint.json
