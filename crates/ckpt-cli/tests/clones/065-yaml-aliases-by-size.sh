# A specification of half a megabyte repeats a long text by thousands of aliases.
mkdir -p .claude/skills/build-pipeline/checkpoints
printf "{\"prd\":\"PRD-001\",\"status\":\"in_progress\",\"current_phase\":0,\"completed_workstreams\":[],\"in_progress_workstreams\":[],\"pending_workstreams\":[\"WS1\"],\"artifacts\":{},\"gates_passed\":[],\"gates_pending\":[],\"execution_spec\":{\"path\":\"spec.md\",\"hash\":\"0\"}}\\n" > .claude/skills/build-pipeline/checkpoints/PRD-001.json
{
    printf -- '---\nprd: PRD-001\nlong: &a "'
    head -c 200000 /dev/zero | tr '\0' x
    printf '"\nworkstreams:\n  WS1: { name: *a }\nmore:\n'
    yes '  - *a' | head -n 30000
    printf -- '---\n'
} > spec.md
