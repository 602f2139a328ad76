# The words that lives are written in. A life is a bash script that runs in a new git repository with one commit
# (README.md), on branch main, with `ckpt` on the PATH. What it leaves behind is what the next agent finds.
#
#   begins S              session S of Claude Code begins (a process that can be killed, and its SessionStart hook)
#   prompt S TEXT         the user asks S for something
#   says S TEXT           S says something: a line in its transcript
#   writes S FILE         S writes FILE, with the content on standard input, and its hook fires
#   runs S COMMAND        S runs a shell command, and its hook fires
#   spawns S A TASK       S starts sub-agent A with the prompt TASK
#   sub_writes S A FILE   sub-agent A writes FILE, with the content on standard input
#   sub_says S A TEXT     sub-agent A says something: a line in its own transcript
#   reports S A TEXT      sub-agent A ends, and this is its last message
#   compacts S            S is compacted
#   ends S                S ends as it should, with its SessionEnd hook
#   dies S                S is killed: no hook fires
#   by NAME COMMAND…      runs COMMAND with NAME as git's author and committer
#   commits FILE TEXT     writes TEXT to FILE and commits it, with the subject "Change FILE"
#   next_brief            prints the brief that a new session gets here
#
# Endings (../endings) also use:
#
#   expect HAZARD         fails unless `ckpt resume --json` tells this kind of hazard
#   gone HAZARD           fails if it still does
#   plans_login           a plan of two tasks, login-form and reset-mail, committed; its file is $plan
#   plans_orders          a plan of three tasks, create-table, copy-rows and drop-old; its file is $plan
#   specifies_form        a pipeline of two workstreams, WS1 before WS2, from spec.md
#
# Steps (../steps) also use:
#
#   shows NAME            keeps the brief that `ckpt resume` prints now, to be compared with NAME.txt
#
# Sessions that neither end nor die are alive while the brief is read. The brief is read in the directory the life
# ends in.

set -euo pipefail

declare -A PROCESS

quoted() {
    local text=$1
    text=${text//\\/\\\\}
    text=${text//\"/\\\"}
    text=${text//$'\n'/\\n}
    text=${text//$'\t'/\\t}
    printf '"%s"' "$text"
}

transcript() { printf '%s/transcripts/%s.jsonl' "$LIFE" "$1"; }

# fires SESSION EVENT [MEMBERS]: calls the hook of a session, as Claude Code does.
fires() {
    local event
    event=$(printf '{"session_id":%s,"transcript_path":%s,"cwd":%s,"hook_event_name":"%s"%s}' \
        "$(quoted "$1")" "$(quoted "$(transcript "$1")")" "$(quoted "$PWD")" "$2" "${3:+,$3}")
    printf '%s' "$event" | CLAUDE_PID=${PROCESS[$1]} ckpt hook claude > "$LIFE/answer"
}

begins() {
    sleep 3600 > /dev/null 2>&1 &
    PROCESS[$1]=$!
    echo "$!" >> "$LIFE/processes"
    mkdir -p "$LIFE/transcripts"
    : >> "$(transcript "$1")"
    fires "$1" SessionStart '"source":"startup"'
}

message() {
    printf '{"type":"%s","message":{"role":"%s","content":[{"type":"text","text":%s}]},"timestamp":"%s"}\n' \
        "$1" "$1" "$(quoted "$2")" "$(date -u +%Y-%m-%dT%H:%M:%S.000Z)"
}

prompt() {
    message user "$2" >> "$(transcript "$1")"
    fires "$1" UserPromptSubmit "\"prompt\":$(quoted "$2")"
}

says() { message assistant "$2" >> "$(transcript "$1")"; }

put() {
    mkdir -p "$(dirname "$1")"
    cat > "$1"
}

edit_event() { printf '"tool_name":"Write","tool_input":{"file_path":%s},"tool_use_id":"u"' "$(quoted "$PWD/$1")"; }

# used TRANSCRIPT FILE: the line that a transcript gets when a file was written.
used() {
    printf '{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","name":"Write","input":{"file_path":%s}}]}}\n' \
        "$(quoted "$PWD/$2")" >> "$1"
}

writes() {
    put "$2"
    used "$(transcript "$1")" "$2"
    fires "$1" PostToolUse "$(edit_event "$2")"
}

runs() {
    local event="\"tool_name\":\"Bash\",\"tool_input\":{\"command\":$(quoted "$2")},\"tool_use_id\":\"u\""
    fires "$1" PreToolUse "$event"
    if CLAUDE_PID=${PROCESS[$1]} CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=$1 bash -c "$2" > /dev/null 2>&1; then
        fires "$1" PostToolUse "$event"
    else
        fires "$1" PostToolUseFailure "$event,\"error\":\"Exit code $?\",\"is_interrupt\":false"
    fi
}

sub_transcript() { printf '%s/transcripts/%s/subagents/agent-%s.jsonl' "$LIFE" "$1" "$2"; }

spawns() {
    local call="\"tool_name\":\"Agent\",\"tool_input\":{\"subagent_type\":\"general-purpose\",\"prompt\":$(quoted "$3")}"
    fires "$1" PreToolUse "$call,\"tool_use_id\":\"call-$2\""
    fires "$1" SubagentStart "\"agent_id\":$(quoted "$2"),\"agent_type\":\"general-purpose\""
    mkdir -p "$(dirname "$(sub_transcript "$1" "$2")")"
    message user "$3" >> "$(sub_transcript "$1" "$2")"
}

sub_writes() {
    put "$3"
    used "$(sub_transcript "$1" "$2")" "$3"
    fires "$1" PostToolUse "$(edit_event "$3"),\"agent_id\":$(quoted "$2"),\"agent_type\":\"general-purpose\""
}

sub_says() { message assistant "$3" >> "$(sub_transcript "$1" "$2")"; }

reports() {
    sub_says "$1" "$2" "$3"
    fires "$1" SubagentStop "\"agent_id\":$(quoted "$2"),\"agent_type\":\"general-purpose\",\"stop_hook_active\":false,\
\"agent_transcript_path\":$(quoted "$(sub_transcript "$1" "$2")"),\"last_assistant_message\":$(quoted "$3")"
}

compacts() {
    fires "$1" PreCompact '"trigger":"auto","custom_instructions":""'
    fires "$1" SessionStart '"source":"compact"'
}

killed() {
    kill -9 "${PROCESS[$1]}"
    wait "${PROCESS[$1]}" 2> /dev/null || true
}

ends() {
    fires "$1" SessionEnd '"reason":"prompt_input_exit"'
    killed "$1"
}

dies() { killed "$1"; }

by() {
    local name=$1
    shift
    GIT_AUTHOR_NAME=$name GIT_AUTHOR_EMAIL=$name@example.org GIT_COMMITTER_NAME=$name \
        GIT_COMMITTER_EMAIL=$name@example.org "$@"
}

commits() {
    put "$1" <<< "$2"
    git add -- "$1"
    git commit --quiet -m "Change $1"
}

next_brief() {
    local begin
    begin='{"session_id":"next","transcript_path":"","cwd":"'$PWD'","hook_event_name":"SessionStart","source":"startup"}'
    printf '%s' "$begin" | CLAUDE_PID=$$ ckpt hook claude > "$LIFE/answer"
    # The text inside the JSON answer.
    printf '%b\n' "$(sed -e 's/.*"additionalContext":"//' -e 's/"}}$//' -e 's/\\"/"/g' "$LIFE/answer")"
}

hazards() { ckpt resume --json | grep -o '"hazard":"[a-z_]*"' | sort -u || true; }

expect() {
    hazards | grep -q "\"$1\"" || { echo "no hazard $1 in: $(hazards)" >&2; ckpt resume >&2; exit 1; }
}

gone() {
    if hazards | grep -q "\"$1\""; then
        echo "$1 has not ended" >&2
        ckpt resume >&2
        exit 1
    fi
}

shows() {
    mkdir -p "$LIFE/shown"
    ckpt resume > "$LIFE/shown/$1.txt" 2>&1
}

trap 'pwd > "$LIFE/directory"' EXIT

plans_login() {
    plan=plans/260301-0900-login/plan.md
    put $plan <<'END'
# Login

<!-- CHECKPOINT: login -->
- [ ] Create the form <!-- TASK: login-form -->
- [ ] Send the mail <!-- TASK: reset-mail -->
END
    git add . && git commit --quiet -m "Plan the login"
    ckpt plan sync
}

plans_orders() {
    plan=plans/260301-0900-orders/plan.md
    put $plan <<'END'
# Orders

<!-- CHECKPOINT: move -->
- [ ] Create the table <!-- TASK: create-table -->
- [ ] Copy the rows <!-- TASK: copy-rows -->
- [ ] Drop the old table <!-- TASK: drop-old -->
END
    ckpt plan sync
}

specifies_form() {
    put spec.md << 'END'
---
prd: PRD-001
workstreams:
  WS1: { name: Form }
  WS2: { name: Mail, depends_on: [WS1] }
---
END
    git add . && git commit --quiet -m "Specify it"
    ckpt pipeline init spec.md
}
