# The settings for an agent name a directory of the clone as the git directory, whose settings name a work tree of the user.
#: with GIT_DIR=$CLONE/evil
git commit -q --allow-empty -m one
mkdir -p .claude/state "$OUTSIDE/victim/.claude/state"
cp "$OUTSIDE/secret.json" "$OUTSIDE/victim/.claude/state/implement-auth.json"
cp -r .git evil
rm -rf evil/hooks evil/logs
find evil -type d -empty -exec touch {}/keep \;
git config --file evil/config core.worktree "$OUTSIDE/victim"
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
