# A session is killed with two sub-agents. One has reported its task as done, but nobody has checked or ticked it.
put plans/260311-0845-query-language/plan.md <<'END'
# Query language

<!-- CHECKPOINT: language -->
- [ ] Describe the grammar in docs/grammar.md <!-- TASK: grammar-doc -->
- [ ] Split queries into tokens <!-- TASK: lexer -->
- [ ] Print queries in the standard form <!-- TASK: formatter -->
- [ ] Explain errors with a position <!-- TASK: error-position -->
END
put query/token.py <<< "KINDS = ['word', 'number', 'string']"
git add . && git commit --quiet -m "Plan the query language"
ckpt plan sync

begins ql
prompt ql "Let two sub-agents do lexer and formatter. I write the grammar text myself tonight, leave it alone."
runs ql "ckpt plan note 'grammar-doc: the user writes it'"
spawns ql lex "Do the task lexer of plans/260311-0845-query-language: query/lexer.py with tests."
spawns ql fmt "Do the task formatter of plans/260311-0845-query-language: query/printer.py. Leave query/lexer.py alone."
sub_writes ql lex query/lexer.py <<< "def tokens(text): return text.split()"
sub_writes ql fmt query/printer.py <<'END'
def standard(query): return " ".join(print_part(p) for p in query.parts)
END
reports ql lex "The task lexer is done. query/lexer.py splits at white space, tests are green."
sub_says ql fmt "print_part is missing for nested groups: they need brackets and an indent of two. Writing that now."
says ql "The report on lexer worries me: strings with spaces in them must stay one token. Checking that before I tick lexer."
dies ql
