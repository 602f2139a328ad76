# The receipt of init names files above the repository, by dots.
mkdir -p .claude/state/init
change() { printf '{"path":"%s","created":%s,"edit":[[0,"%s","%s"]]}' "$@"; }
printf '{"files":[%s,%s]}\n' "$(change ../outside/secret true '' "$SECRET\\n")" "$(change .claude/../../outside/plan.md false evil '')" > .claude/state/init/receipt.json
