# An unpacked archive has pipes where the work of late hooks is kept.
#: hooks-with CKPT_HOOK_DEADLINE_MS=100
if [ "$1" = after ]; then
    mkdir -p .git/ckpt/late
    mkfifo .git/ckpt/late/lock .git/ckpt/late/000000000000001-1-0
    exit
fi
mkdir -p .claude/state plans/260101-0000-x
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
