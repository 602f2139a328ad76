printf '.claude/state/\nplans/*/.checkpoint/\n' > .gitignore
git add . && git commit --quiet -m 'Ignore state' && git switch --quiet -c docs/handbook
put plans/260226-1000-handbook/plan.md << 'END'
# Handbook
<!-- CHECKPOINT: chapters -->
- [x] Chapter about accounts <!-- TASK: accounts -->
- [ ] Chapter about invoices <!-- TASK: invoices -->
END
git add . && git commit --quiet -m 'Begin the handbook' && ckpt plan sync
git switch --quiet main
put plans/260302-0915-billing-export/plan.md << 'END'
# Billing export
## Core
<!-- CHECKPOINT: core -->
- [ ] Read invoices in pages of 500 <!-- TASK: read-invoices -->
- [ ] Write CSV in the column order of Finance <!-- TASK: csv-writer -->
- [ ] Upload the file to the export bucket <!-- TASK: upload -->
## Rollout
<!-- CHECKPOINT: rollout -->
- [ ] Nightly cron entry <!-- TASK: cron -->
END
put src/invoice/vat.py <<< 'def vat(net): return round(net * 0.19, 2)'
git add . && git commit --quiet -m 'Add the plan for the billing export'
git switch --quiet -c feature/billing-export
begins a
prompt a 'Work through the billing export plan.'
writes a src/export/reader.py <<< 'def pages(cursor, size=500): ...'
runs a 'ckpt plan done read-invoices'
runs a 'git add . && git commit -m "Read invoices in pages"'
runs a 'ckpt plan claim csv-writer'
runs a 'ckpt plan note "csv-writer: Finance wants invoice_no, date, net, vat, gross, in this order"'
writes a src/export/csv_writer.py <<< 'COLUMNS = ["invoice_no", "date", "net", "vat", "gross"]  # header and quoting done, no totals row yet'
prompt a 'Urgent: the VAT on invoices is rounded wrongly in production. Park the export and fix that from main.'
runs a 'git stash push --include-untracked -m "csv-writer half done: header and quoting work, totals row missing"'
runs a 'git switch main && git switch -c hotfix/vat-rounding'
runs a 'ckpt start implement vat-rounding --phases fix,verify'
writes a src/invoice/vat.py <<< 'def vat(net): return (net * Decimal("0.19")).quantize(CENT, ROUND_HALF_UP)'
runs a 'git commit -a -m "Round VAT half up"'
runs a 'ckpt phase implement/vat-rounding fix complete --summary "Decimal with ROUND_HALF_UP in src/invoice/vat.py." --modified src/invoice/vat.py'
ends a
begins b
prompt b 'Verify the VAT fix with the invoices of February.'
runs b 'ckpt phase implement/vat-rounding verify complete --summary "All 312 invoices of February agree with the books."'
runs b 'ckpt complete implement/vat-rounding'
prompt b 'Deployed, thank you. Next session: back to the billing export, where we left off.'
says b 'The hotfix is finished. The billing export is next.'
ends b
