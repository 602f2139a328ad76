printf '.claude/state/\nplans/*/.checkpoint/\n' > .gitignore
put plans/260304-1600-search-tuning/plan.md << 'END'
# Search tuning (after the release)
<!-- CHECKPOINT: tuning -->
- [ ] Measure recall on the support queries <!-- TASK: recall -->
- [ ] Weigh titles higher <!-- TASK: title-weight -->
END
git add . && git commit --quiet -m 'Add a plan for later'
ckpt plan sync
git switch --quiet -c feature/search
begins one
prompt one 'Implement fuzzy search.'
runs one 'ckpt start implement search --phases build,test'
writes one src/search.py <<< 'def search(text, fuzzy=False): ...'
writes one src/cli.py <<< 'parser.add_argument("--fuzzy", action="store_true")'
runs one 'git add src && git commit -m "Add fuzzy search"'
runs one 'ckpt phase implement/search build complete --summary "Trigram search in src/search.py, flag in src/cli.py." --created src/search.py --created src/cli.py'
runs one 'ckpt phase implement/search test complete --summary "61 tests pass." && ckpt complete implement/search'
ends one
begins two
prompt two 'Review it as if you had not written it.'
runs two 'ckpt start review search'
runs two 'ckpt phase review/search analysis complete --summary "One finding: empty text matched everything."'
writes two src/search.py <<< 'def search(text, fuzzy=False): return [] if not text else trigrams(text)'
runs two 'git commit -a -m "Empty text finds nothing"'
runs two 'ckpt phase review/search feedback complete --summary "Fixed, nothing open." && ckpt complete review/search'
ends two
begins three
prompt three '/ship search'
runs three 'ckpt start ship search'
runs three 'ckpt gate run ship/search tests -- test -s src/search.py'
runs three 'ckpt phase ship/search pre-flight complete --summary "Tests pass, changelog written."'
prompt three 'I have read the whole diff. Approved.'
runs three 'ckpt gate set ship/search --allow'
runs three 'ckpt phase ship/search commit complete --summary "Everything is committed."'
runs three 'ckpt phase ship/search push in_progress'
prompt three 'Stop, one more thing before the push: call the flag --approx, Support find --fuzzy unclear. Show me the result before it goes out.'
writes three src/cli.py <<< 'parser.add_argument("--approx", action="store_true")'
runs three 'git commit -a -m "Call the flag --approx"'
says three 'The flag is called --approx now and committed. Not pushed.'
ends three
