# The project's settings are 100 MB of spaces, which git sends as a few kilobytes.
#: short
#: denied
mkdir -p .claude/state .claude/config plans/260101-0000-x
printf -- "- [ ] One <!-- TASK: one -->\\n- [ ] Two <!-- TASK: two -->\\n" > plans/260101-0000-x/plan.md
printf "{\"command\":\"ship\",\"version\":1,\"state\":{},\"phases\":{},\"gate\":{\"ship_allowed\":false,\"blockers\":[\"tests fail\"]}}\\n" > .claude/state/ship-checkpoint.json
{ printf '{'; head -c 100000000 /dev/zero | tr '\0' ' '; printf '"enforce_gates":false}\n'; } > .claude/config/ckpt.json
