# The names that new content is first written under are links to files of the user.
mkdir -p .claude/state/sessions plans/260101-0000-x/.checkpoint
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
ln -s "$OUTSIDE/secret" .claude/state/.implement-auth.json.ckpt-tmp
ln -s "$OUTSIDE/secret" .claude/state/.ship-checkpoint.json.ckpt-tmp
ln -s "$OUTSIDE/secret" .claude/state/sessions/.s1.json.ckpt-tmp
ln -s "$OUTSIDE/secret" plans/260101-0000-x/.plan.md.ckpt-tmp
ln -s "$OUTSIDE/secret" plans/260101-0000-x/.checkpoint/.state.json.ckpt-tmp
ln -s "$OUTSIDE/secret" plans/260101-0000-x/.checkpoint/.recovery.json.ckpt-tmp
ln -s "$OUTSIDE/secret" ..gitignore.ckpt-tmp
