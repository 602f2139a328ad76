printf '.claude/state/\nplans/*/.checkpoint/\n' > .gitignore
put plans/260310-1400-reports/plan.md << 'END'
# Reports
## Export
<!-- CHECKPOINT: export -->
- [ ] Query layer <!-- TASK: query-layer -->
- [ ] Export as CSV <!-- TASK: export-csv -->
- [ ] Export as PDF <!-- TASK: export-pdf -->
## Delivery
<!-- CHECKPOINT: delivery -->
- [ ] Send on a schedule <!-- TASK: schedule -->
- [ ] Link in the mail <!-- TASK: mail-link -->
END
git add . && git commit --quiet -m 'Add the plan for the reports'
git switch --quiet -c feature/sso
begins before
prompt before 'Look into single sign-on.'
runs before 'ckpt start implement sso --phases research,build'
writes before docs/sso.md <<< '# Single sign-on: OIDC, one tenant for each customer'
runs before 'git add docs && git commit -m "Describe single sign-on"'
runs before 'ckpt phase implement/sso research complete --summary "OIDC with one tenant for each customer, see docs/sso.md. Build starts in April, when the identity provider is bought."'
ends before
git switch --quiet main && git switch --quiet -c feature/reports
begins first
prompt first 'Start with the reports.'
writes first src/reports/query.py <<< 'def rows(report): ...'
runs first 'ckpt plan done query-layer && git add . && git commit -m "Add the query layer"'
runs first 'ckpt plan decide "Reports never contain names of customers, only numbers" --reason "privacy officer" --phase export'
ends first
begins second
prompt second 'Give CSV, PDF and the schedule to three sub-agents.'
spawns second csv 'Do the task export-csv of the plan: src/reports/to_csv.py with tests.'
spawns second pdf 'Do the task export-pdf of the plan: src/reports/to_pdf.py with tests.'
spawns second timer 'Do the task schedule of the plan: src/reports/schedule.py.'
sub_writes second csv src/reports/to_csv.py <<< 'def to_csv(rows): ...'
sub_writes second csv tests/test_to_csv.py <<< 'def test_quotes(): ...'
reports second csv 'export-csv is done: src/reports/to_csv.py, and 14 tests in tests/test_to_csv.py pass. I did not tick it.'
reports second timer '{"task_id": "schedule", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {}, "context_summary": "Nothing written yet: the time zone of a schedule is open.", "issues": ["schedule: in which time zone is 08:00?"]}'
prompt second 'For the schedule: the time zone of the customer, not UTC.'
runs second 'ckpt handoff reply 260310-1400-reports --answer schedule --text "08:00 is in the time zone of the customer, not UTC"'
sub_writes second pdf src/reports/to_pdf.py <<< 'def to_pdf(rows): ...  # fonts embedded, no page numbers'
sub_says second pdf 'The fonts are embedded. Page numbers come next, then the tests.'
says second 'First I run tests/test_to_csv.py myself and tick export-csv, because the sub-agent only says that it is done. Then I see how far export-pdf is.'
dies second
