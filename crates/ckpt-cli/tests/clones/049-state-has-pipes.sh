# Checkpoints, locks, logs, sessions and histories are pipes that nobody writes to.
[ "$1" = after ] || { mkdir -p .claude/state; printf x > .claude/state/x; exit; }
mkdir -p .claude/state/locks .claude/state/sessions .claude/state/history/command .claude/state/init
cd .claude/state || exit
mkfifo implement-auth.json locks/command.lock locks/sessions.lock locks/init.lock hooks.jsonl sessions/s1.json \
    sessions/s9.json history/command/implement-auth.jsonl init/receipt.json active-plan key
