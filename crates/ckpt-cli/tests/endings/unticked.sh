# A task that a sub-agent reports as done is told until it is ticked; a change to another task leaves it.
put plans/260301-0900-query/plan.md <<'END'
# Query language

<!-- CHECKPOINT: query -->
- [ ] Split queries into tokens <!-- TASK: query-lexer -->
- [ ] Print queries <!-- TASK: query-printer -->
- [ ] Explain errors <!-- TASK: query-errors -->
END
ckpt plan sync

begins one
spawns one lex "Do the task query-lexer of plans/260301-0900-query."
reports one lex "The task query-lexer is done, its tests are green."
expect unticked
runs one "ckpt plan done query-printer"
ends one
expect unticked
ckpt plan done query-lexer
gone unticked
