# Everything that is JSON or YAML is nested a hundred thousand levels deep.
deep() { head -c 100000 /dev/zero | tr '\0' '['; head -c 100000 /dev/zero | tr '\0' ']'; }
mkdir -p .claude/state/sessions .claude/state/init .claude/config .claude/state/history/command plans/260101-0000-x/.checkpoint .claude/skills/build-pipeline/checkpoints
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"command":"implement","feature":"auth","version":1,"state":{},"phases":{},"more":%s}\n' "$(deep)" > .claude/state/implement-auth.json
printf '{"prd":"PRD-001","status":"in_progress","execution_spec":{"path":"spec.md"},"more":%s}\n' "$(deep)" > .claude/skills/build-pipeline/checkpoints/PRD-001.json
printf -- '---\nprd: PRD-001\nworkstreams: %s\n---\n' "$(deep)" > spec.md
for name in .claude/state/sessions/s1.json .claude/state/sessions/s9.json .claude/state/init/receipt.json .claude/config/ckpt.json .claude/state/history/command/implement-auth.jsonl \
    plans/260101-0000-x/.checkpoint/state.json plans/260101-0000-x/.checkpoint/recovery.json plans/260101-0000-x/.checkpoint/history.jsonl \
    .claude/settings.json .claude/settings.local.json request.json response.json .claude/state/hooks.jsonl; do
    printf '{"a":%s}\n' "$(deep)" > "$name"
done
