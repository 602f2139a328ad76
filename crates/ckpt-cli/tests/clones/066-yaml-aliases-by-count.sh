# A specification of a few lines has aliases of aliases of aliases, a thousand million of them.
mkdir -p .claude/skills/build-pipeline/checkpoints
printf "{\"prd\":\"PRD-001\",\"status\":\"in_progress\",\"current_phase\":0,\"completed_workstreams\":[],\"in_progress_workstreams\":[],\"pending_workstreams\":[\"WS1\"],\"artifacts\":{},\"gates_passed\":[],\"gates_pending\":[],\"execution_spec\":{\"path\":\"spec.md\",\"hash\":\"0\"}}\\n" > .claude/skills/build-pipeline/checkpoints/PRD-001.json
{
    printf -- '---\nprd: PRD-001\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n'
    for n in 1 2 3 4 5 6 7 8 9; do
        p=$((n - 1))
        printf 'a%s: &a%s [*a%s, *a%s, *a%s, *a%s, *a%s, *a%s, *a%s, *a%s, *a%s, *a%s]\n' $n $n $p $p $p $p $p $p $p $p $p $p
    done
    printf 'workstreams:\n  WS1: { name: One, depends_on: *a9, outputs: *a9 }\n---\n'
} > spec.md
