# The branch is called with words for a shell and with invisible characters.
branch="main-\$(touch\${IFS}pwned)-$(printf '\342\200\256rtl\342\200\213\363\240\201\201')"
git checkout -q -b "$branch"
mkdir -p .claude/state
printf '{"command":"implement","feature":"auth","version":1,"head_commit":"0000000000000000000000000000000000000000","state":{},"phases":{"a":{"status":"in_progress"}}}\n' > .claude/state/implement-auth.json
