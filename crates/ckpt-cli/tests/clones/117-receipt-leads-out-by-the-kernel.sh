# The receipt of init names files above the repository, by the kernel's names for the work directory and the root.
mkdir -p .claude/state/init
change() { printf '{"path":"%s","created":%s,"edit":[[0,"%s","%s"]]}' "$@"; }
printf '{"files":[%s,%s]}\n' "$(change /proc/self/cwd/../outside/secret true '' "$SECRET\\n")" "$(change "/proc/self/root$OUTSIDE/plan.md" false evil '')" > .claude/state/init/receipt.json
