# A checkpoint names a commit of a few objects that stand for ten million files, and more files than fit a command line.
#: short
mkdir -p .claude/state
id=$(printf 'x\n' | git hash-object -w --stdin)
line="100644 blob $id"
level() { for i in 0 1 2 3 4 5 6 7 8 9; do printf '%s\tn%s\n' "$line" "$i"; done | git mktree; }
for depth in 1 2 3 4 5 6 7; do line="040000 tree $(level)"; done
commit=$(git commit-tree -m bomb "${line#040000 tree }")
git branch bomb "$commit"
files=$(i=0; while [ $i -lt 600 ]; do printf '"f%s",' $i; i=$((i + 1)); done)
printf '{"command":"ship","version":1,"head_commit":"%s","state":{},"phases":{"p":{"status":"in_progress","files_modified":[%s"x"]}}}\n' "$commit" "$files" > .claude/state/ship-checkpoint.json
