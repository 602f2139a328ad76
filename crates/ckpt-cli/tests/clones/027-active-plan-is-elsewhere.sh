# The plan that was chosen lies outside of the repository.
mkdir -p .claude/state plans
printf 'x\n' > plans/README.md
printf '../../outside\n' > .claude/state/active-plan
