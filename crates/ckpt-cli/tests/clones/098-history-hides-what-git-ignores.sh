# A history comes with the clone, so that the state beside it is not kept out of git.
#: private
mkdir -p plans/260101-0000-x/.checkpoint
printf -- '- [ ] One <!-- TASK: one -->\n' > plans/260101-0000-x/plan.md
printf '{"ts":"2026-01-01T00:00:00.000Z","event":"note_added","rev":1,"epoch":"aaaaaaaa","by":"main"}\n' > plans/260101-0000-x/.checkpoint/history.jsonl
