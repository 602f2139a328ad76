# The same, by a path that names no directory of the clone.
#: with CKPT_CONFIG=/proc/self/cwd/evil/config.json
mkdir -p evil .claude/state
printf '{"files":[{"path":"%s/plan.md","created":true,"directories":[],"edit":[[0,"","- [ ] %s <!-- TASK: secret -->\\n"]]},{"path":"%s/secret","created":false,"directories":[],"edit":[[0,"evil\\n",""]]}]}\n' "$OUTSIDE" "$SECRET" "$OUTSIDE" > evil/init.json
