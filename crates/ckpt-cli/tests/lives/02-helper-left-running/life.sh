# A session ends as it should while its sub-agent is still at work. What the sub-agent wrote is committed, and looks finished.
put plans/260303-1420-invoice-exports/plan.md <<'END'
# Invoice exports

<!-- CHECKPOINT: exports -->
- [ ] Collect the invoices of a month <!-- TASK: collect -->
- [ ] Export invoices as PDF <!-- TASK: pdf-export -->
- [ ] Export invoices as CSV <!-- TASK: csv-export -->
- [ ] Offer both in the menu <!-- TASK: menu -->
END
git add . && git commit --quiet -m "Plan the invoice exports"
ckpt plan sync

begins fin
prompt fin "Start with the exports. Give the CSV to a sub-agent, I want to talk about the PDF layout first."
writes fin export/collect.py <<< "def invoices(month): return [i for i in load() if i.month == month]"
runs fin "git add export && git commit -qm 'Collect the invoices of a month'"
runs fin "ckpt plan done collect"
runs fin "ckpt plan note 'The PDF layout is with the design team, they answer within the week'"
spawns fin csv1 "Do the task csv-export of plans/260303-1420-invoice-exports. Write export/csv_writer.py and its test."
sub_writes fin csv1 export/csv_writer.py <<'END'
def write(rows, out):
    for row in rows:
        out.write(";".join(str(field) for field in row) + "\r\n")
END
sub_writes fin csv1 tests/test_csv_writer.py <<< "def test_two_rows(): assert written([[1, 2], [3, 4]]) == '1;2\r\n3;4\r\n'"
sub_says fin csv1 "The test passes, but fields with a semicolon or a line break are written without quotes. Adding the quoting before I report."
runs fin "git add export tests plans && git commit -qm 'Export invoices as CSV'"
says fin "Committed everything that is there. See you on Monday."
ends fin
