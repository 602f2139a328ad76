# All plans are a link to a place of the user elsewhere.
mkdir -p "$OUTSIDE/260101-0000-x"
cp "$OUTSIDE/plan.md" "$OUTSIDE/260101-0000-x/plan.md"
ln -s "$OUTSIDE" plans
