# A task that a sub-agent reports as done is told until somebody acknowledges it; the next report is told again.
put plans/260301-0900-query/plan.md <<'END'
# Query language

<!-- CHECKPOINT: query -->
- [ ] Split queries into tokens <!-- TASK: query-lexer -->
- [ ] Print queries <!-- TASK: query-printer -->
END
ckpt plan sync

begins one
spawns one lex "Do the task query-lexer of plans/260301-0900-query."
reports one lex "The task query-lexer is done, its tests are green."
ends one
expect unticked
ckpt ack query-lexer --reason 'strings with spaces are split'
gone unticked
begins two
spawns two again "Do the task query-lexer again."
reports two again "The task query-lexer is done now."
expect unticked
