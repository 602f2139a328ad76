# A file of an earlier tool says that tasks are done, and another one is a link to a file of the user.
mkdir -p plans/260101-0000-x/.memory .memory plans/260101-0000-y
printf -- '- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n' > plans/260101-0000-x/plan.md
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-y/plan.md
printf '{"one":true,"two":"done"}\n' > plans/260101-0000-x/.memory/progress.json
ln -s "$OUTSIDE/secret.json" plans/260101-0000-y/.memory
printf '{"tasks":{"one":true}}\n' > .memory/progress.json
