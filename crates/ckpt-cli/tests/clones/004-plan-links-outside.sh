# A plan is a link to a file of the user elsewhere.
mkdir -p plans/260101-0000-x
ln -s "$OUTSIDE/plan.md" plans/260101-0000-x/plan.md
