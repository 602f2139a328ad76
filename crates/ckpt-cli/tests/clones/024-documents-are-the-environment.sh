# A plan, a checkpoint and a request are links to the environment of whoever reads them.
mkdir -p .claude/state plans/260101-0000-x
ln -s /proc/self/environ plans/260101-0000-x/plan.md
ln -s /proc/self/environ plans/260101-0000-x/phase-01-x.md
ln -s /proc/self/environ .claude/state/implement-auth.json
ln -s /proc/self/environ .claude/state/active-plan
ln -s /proc/self/environ request.json
