# A directory of the clone is a repository of its own, whose settings of git name a filter.
if [ "$1" = after ]; then
    git init -q sub
    printf 'x\n' > sub/a.txt
    git -C sub add a.txt
    git -C sub commit -q -m sub
    git -c advice.addEmbeddedRepo=false add sub
    git commit -q -m sub
    git -C sub config filter.one.clean "$CANARY"
    git -C sub config core.fsmonitor "$CANARY"
    mkdir -p sub/.git/info
    printf '*.txt filter=one\n' > sub/.git/info/attributes
    touch sub/a.txt
    exit
fi
mkdir -p .claude/state
printf '{"command":"ship","version":1,"head_commit":"%s","state":{},"phases":{"p":{"status":"in_progress","files_modified":["sub"]}}}\n' "$(git rev-parse HEAD 2>/dev/null)" > .claude/state/ship-checkpoint.json
