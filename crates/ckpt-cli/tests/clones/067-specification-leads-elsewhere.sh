# Pipelines name specifications outside of the repository, in git, and a device.
mkdir -p .claude/skills/build-pipeline/checkpoints
n=0
for path in "$OUTSIDE/secret" ../outside/secret.json .git/config /dev/zero /proc/self/environ spec.md; do
    n=$((n + 1))
    printf '{"prd":"PRD-00%s","status":"in_progress","current_phase":0,"completed_workstreams":[],"in_progress_workstreams":[],"pending_workstreams":["WS1"],"artifacts":{"WS1":["%s"]},"gates_passed":[],"gates_pending":[],"execution_spec":{"path":"%s","hash":"0"}}\n' "$n" "$path" "$path" > ".claude/skills/build-pipeline/checkpoints/PRD-00$n.json"
done
ln -s "$OUTSIDE/secret" spec.md
