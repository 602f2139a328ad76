# The words that rows are written in, besides those of bash. A row runs in a new git repository with one commit
# (README.md), on branch main, with `ckpt` on the PATH, and holds if its script succeeds. Anything may be checked with
# `test` and `grep -q` too. Each row has at least one check that fails if ckpt does nothing.
#
#   example NAME               prints a file of examples/
#   put FILE                   writes FILE, with the content on standard input, and makes its directory
#   state                      prints the path of the directory of command checkpoints
#   pipeline ID                prints the path of a pipeline's checkpoint
#   given_pipeline ID          writes the checkpoint of a pipeline, with the content on standard input
#   given_spec                 writes and commits docs/spec.md, the specification of PRD-009 (examples/spec.md)
#   given_plan ID              writes plans/ID/plan.md, with the content on standard input
#   words N                    prints N words
#   exits CODE COMMAND…        fails unless COMMAND exits with CODE; what it prints is kept in $WORLD/printed
#   prints TEXT COMMAND…       fails unless COMMAND prints TEXT (standard output or standard error, any exit code)
#   says_not TEXT COMMAND…     fails if COMMAND prints TEXT
#   json FILE EXPRESSION       fails unless EXPRESSION is true in JavaScript, with the content of FILE as `it`
#   answers EXPRESSION COMMAND…  the same for the JSON that COMMAND prints
#   finds RULE FILE-OR-ID      fails unless `ckpt validate` reports RULE
#   finds_nothing FILE-OR-ID   fails if `ckpt validate` reports anything
#   js CODE                    runs CODE in Node with the package's functions, assert, fs and path; its standard error is
#                              also kept in $WORLD/errors
#   changed_json FILE CODE     prints the JSON of FILE after CODE has changed it, as `it`
#   altered CODE               the same for the example of a command's checkpoint
#   judged SEVERITIES CODE     fails unless the first finding about the longer example, after CODE, has one of these
#                              severities; `fine` stands for no finding
#   steps "1 2 3" [CODE]       prints the pipeline that these examples add up to, after CODE
#   matches STEPS              fails unless the checkpoint of PRD-009 has all that these examples have
#   changed CODE               writes the state of plan p: the one in good.json, after CODE
#   accepted CODE              fails unless that state is valid; `refused CODE` fails if it is
#   request CODE               writes request.json: a request for a sub-agent, after CODE
#   response N                 writes response.json, with a summary of N words
#   edited FILE                tells the hook that the agent edited FILE
#   starts AGENT TEXT          tells the hook that a sub-agent starts with this prompt
#   stops AGENT TEXT           tells the hook that it ends, with this last message
#   fires EVENT MEMBERS        calls the hook as Claude Code does, in session s1; the answer is kept in $WORLD/answer
#   logged EVENT FILE [EXPR]   fails unless a line of a history has this event (and EXPR is true of it, as `it`)

example() { cat "$EXAMPLES/$1"; }

put() {
    mkdir -p "$(dirname "$1")"
    cat > "$1"
}

state() { printf '.claude/state'; }

pipeline() { printf '.claude/skills/build-pipeline/checkpoints/%s.json' "$1"; }

given_pipeline() { put "$(pipeline "$1")"; }

given_spec() {
    example spec.md | put docs/spec.md
    git add docs
    git commit --quiet -m "Add the specification"
}

given_plan() { put "plans/$1/plan.md"; }

words() { node -e 'process.stdout.write(Array(Number(process.argv[1])).fill("word").join(" "))' "$1"; }

exits() {
    local expected=$1 code=0
    shift
    "$@" > "$WORLD/printed" 2>&1 || code=$?
    [ "$code" = "$expected" ] && return 0
    echo "exit $code instead of $expected: $*"
    cat "$WORLD/printed"
    return 1
}

prints() {
    local text=$1
    shift
    "$@" > "$WORLD/printed" 2>&1 || true
    grep -qF -- "$text" "$WORLD/printed" && return 0
    echo "does not print \"$text\": $*"
    cat "$WORLD/printed"
    return 1
}

says_not() {
    local text=$1
    shift
    "$@" > "$WORLD/printed" 2>&1 || true
    grep -qF -- "$text" "$WORLD/printed" || return 0
    echo "prints \"$text\": $*"
    cat "$WORLD/printed"
    return 1
}

json() {
    node -e '
        const fs = require("node:fs");
        const text = fs.readFileSync(process.argv[1], "utf8");
        const it = JSON.parse(text);
        if (new Function("it", `return (${process.argv[2]})`)(it) === true) process.exit(0);
        console.error(`not true: ${process.argv[2]}\n${text}`);
        process.exit(1);
    ' "$1" "$2"
}

answers() {
    local expression=$1
    shift
    "$@" > "$WORLD/answered.json" || true
    json "$WORLD/answered.json" "$expression"
}

finds() { prints "$1" ckpt validate "$2"; }

finds_nothing() {
    answers 'it.documents.length > 0 && it.documents.every((one) => one.findings.length === 0)' ckpt validate "$1" --json
}

js() {
    local code=0
    node -e '
        const path = require("node:path");
        const fs = require("node:fs");
        const assert = require("node:assert");
        const manager = require(path.join(process.env.CKPT_NODE, "checkpoint-manager.cjs"));
        const tokens = require(path.join(process.env.CKPT_NODE, "token-counter.cjs"));
        const { loadCheckpoint, saveCheckpoint, updatePhase, completeCheckpoint, getResumePoint } = manager;
        const { countTokens, validateContextSummary, MAX_SUMMARY_TOKENS } = tokens;
        eval(process.argv[1]);
    ' "$1" 2> "$WORLD/errors" || code=$?
    cat "$WORLD/errors" >&2
    return "$code"
}

fires() {
    local event
    event=$(printf '{"session_id":"s1","transcript_path":"%s/transcript.jsonl","cwd":"%s","hook_event_name":"%s"%s}' \
        "$WORLD" "$PWD" "$1" "${2:+,$2}")
    : >> "$WORLD/transcript.jsonl"
    printf '%s' "$event" | CLAUDE_PID=$$ ckpt hook claude > "$WORLD/answer"
}

logged() {
    node -e '
        const [file, event, expression] = process.argv.slice(1);
        const text = require("node:fs").readFileSync(file, "utf8");
        const lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
        const test = new Function("it", `return (${expression})`);
        if (lines.some((it) => it.event === event && test(it) === true)) process.exit(0);
        console.error(`no line of ${event} with ${expression}:\n${text}`);
        process.exit(1);
    ' "$2" "$1" "${3:-true}"
}

changed_json() {
    node -e '
        const it = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
        eval(process.argv[2]);
        console.log(JSON.stringify(it, null, 2));
    ' "$1" "$2"
}

altered() { changed_json "$EXAMPLES/command.json" "$1"; }

judged() {
    changed_json "$EXAMPLES/command-structure.json" "$2" > altered.json
    answers "'$1'.includes(it.documents[0].findings[0]?.severity ?? 'fine')" ckpt validate altered.json --json
}

steps() {
    node -e '
        const fs = require("node:fs");
        const folder = process.env.EXAMPLES;
        const file = (n) => fs.readdirSync(folder).find((name) => name.startsWith(`pipeline-${n}-`));
        const read = (n) => JSON.parse(fs.readFileSync(`${folder}/${file(n)}`, "utf8"));
        const it = Object.assign({}, ...process.argv[1].split(" ").map(read));
        eval(process.argv[2]);
        console.log(JSON.stringify(it, null, 2));
    ' "$1" "${2:-}"
}

matches() {
    local expected
    expected=$(steps "$1" 'delete it.timestamp')
    json "$(pipeline PRD-009)" \
        "Object.entries($expected).every(([name, value]) => JSON.stringify(it[name]) === JSON.stringify(value))"
}

changed() { changed_json good.json "$1" > plans/p/.checkpoint/state.json; }

accepted() {
    changed "$1"
    exits 0 ckpt validate --strict plans/p/.checkpoint/state.json
}

refused() {
    changed "$1"
    exits 4 ckpt validate --strict plans/p/.checkpoint/state.json
}

request() {
    ckpt handoff new --task T1 --phase write --mode code --feature auth --instructions "Add logout." > new.json
    changed_json new.json "$1" > request.json
}

response() {
    printf '{"task_id": "T1", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {}, "context_summary": "%s"}' \
        "$(words "$1")" > response.json
}

edited() { fires PostToolUse "\"tool_name\":\"Edit\",\"tool_input\":{\"file_path\":\"$PWD/$1\"}"; }

starts() {
    fires PreToolUse "\"tool_name\":\"Task\",\"tool_input\":{\"subagent_type\":\"fullstack\",\"prompt\":\"$2\"}"
    fires SubagentStart "\"agent_id\":\"$1\",\"agent_type\":\"fullstack\""
}

stops() {
    fires SubagentStop "\"agent_id\":\"$1\",\"agent_type\":\"fullstack\",\"last_assistant_message\":\"$2\""
}
