# An unpacked archive comes with filters in its settings of git, under names of every kind.
#: checked ship
if [ "$1" = after ]; then
    git config filter.one.clean "$CANARY"
    git config filter.two.process "$CANARY"
    git config filter.two.required true
    git config 'filter.th=r.ee.clean' "$CANARY"
    git config --file .git/more filter.four.clean "$CANARY"
    git config include.path more
    mkdir -p .git/info
    printf '*.one filter=one\n*.two filter=two\n*.three filter=th=r.ee\n*.four filter=four\n' > .git/info/attributes
    touch a.one a.two a.three a.four
    exit
fi
mkdir -p .claude/state
for name in one two three four; do printf 'x\n' > "a.$name"; done
printf '{"command":"ship","version":1,"head_commit":"%s","state":{},"phases":{"p":{"status":"in_progress","files_modified":["a.one","a.two","a.three","a.four"]}}}\n' "$(git rev-parse HEAD)" > .claude/state/ship-checkpoint.json
