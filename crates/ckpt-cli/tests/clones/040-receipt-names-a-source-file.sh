# The receipt of init says that it made the sources: undoing it deletes them.
#: keeps src/main.rs
#: keeps plans/260101-0000-x/plan.md
mkdir -p .claude/state/init src plans/260101-0000-x
printf 'fn main() {}\n' > src/main.rs
printf 'hello\n' > plans/260101-0000-x/plan.md
printf '{"files":[{"path":"src/main.rs","created":true,"directories":["src"],"edit":[[0,"","fn main() {}\\n"]]},{"path":"plans/260101-0000-x/plan.md","created":true,"directories":["plans/260101-0000-x","plans"],"edit":[[0,"","hello\\n"]]}]}\n' > .claude/state/init/receipt.json
