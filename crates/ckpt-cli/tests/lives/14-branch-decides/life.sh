# Three plans on three branches. The one worked on last is not the one of this branch, and one is on another branch only.
put plans/260316-0900-search/plan.md <<'END'
# Search

<!-- CHECKPOINT: search -->
- [ ] Index the titles <!-- TASK: index-titles -->
- [ ] Index the comments <!-- TASK: index-comments -->
END
git add . && git commit --quiet -m "Plan the search"
ckpt plan sync --plan 260316-0900-search

git switch --quiet -c feature/invoices
put plans/260315-1500-invoices/plan.md <<'END'
# Invoices

<!-- CHECKPOINT: invoices -->
- [ ] Number the invoices <!-- TASK: numbering -->
- [ ] Archive the invoices <!-- TASK: archive -->
END
git add . && git commit --quiet -m "Plan the invoices"
begins one
runs one "ckpt plan done numbering --plan 260315-1500-invoices && git commit -qam 'Number the invoices'"
ends one

git switch --quiet -c fix/login-loop main
put plans/260317-1010-redirects/plan.md <<'END'
# Redirects after login

<!-- CHECKPOINT: redirects -->
- [ ] Reproduce the endless redirect in a test <!-- TASK: reproduce -->
- [ ] Keep the target in the session <!-- TASK: keep-target -->
- [ ] Refuse targets on other hosts <!-- TASK: other-hosts -->
END
git add . && git commit --quiet -m "Plan the fix of the login loop"
begins two
runs two "ckpt plan done reproduce --plan 260317-1010-redirects && git commit -qam 'Show the login loop in a test'"
runs two "ckpt plan note --plan 260317-1010-redirects 'keep-target: not in a cookie, Safari drops it on the way back'"
says two "The test fails as it should."
ends two

git switch --quiet main
begins three
runs three "ckpt plan done index-titles --plan 260316-0900-search && git commit -qam 'Index the titles'"
says three "Titles are indexed, comments are next."
ends three
git switch --quiet fix/login-loop
