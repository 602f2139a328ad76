# A rebase stopped at the second of three commits. The plan on disk is one of the middle: a task that is done looks open.
put plans/260401-0900-vat/plan.md <<'END'
# VAT by country

## Rates
<!-- CHECKPOINT: rates -->
- [ ] Keep the rates in a table <!-- TASK: rate-table -->
- [ ] Take the rate of invoices from the table <!-- TASK: invoice-rate -->

## Documents
<!-- CHECKPOINT: documents -->
- [ ] Credit notes with the rate of their invoice <!-- TASK: credit-notes -->
- [ ] Export the rates for the auditor <!-- TASK: auditor-export -->
END
put src/invoice.py <<'END'
def total(net):
    return net * 1.19
END
put src/rates.py <<< "RATES = {}"
put src/credit.py <<< "# credit notes"
git add . && git commit --quiet -m "Plan VAT by country"
ckpt plan sync

git switch --quiet -c feature/vat
begins s1
prompt s1 "Work through the VAT plan, one commit for each task."
runs s1 "echo \"RATES = {'DE': '0.19', 'FR': '0.20'}\" > src/rates.py && ckpt plan done rate-table && git commit -qam 'Keep the rates in a table'"
runs s1 "ckpt plan decide 'Amounts are Decimal everywhere, rates are strings in the table' --reason 'floats lose cents on long invoices'"
runs s1 "printf 'def total(net, country):\n    return net * Decimal(RATES[country])\n' > src/invoice.py && ckpt plan done invoice-rate && git commit -qam 'Take the rate from the table'"
runs s1 "echo 'def credit(invoice): return -invoice.total' > src/credit.py && ckpt plan done credit-notes && git commit -qam 'Add credit notes'"
says s1 "Three tasks are done. Before the export I rebase on main, because Ben has changed the invoices."

git switch --quiet main
put src/invoice.py <<'END'
def total(net, rounding):
    return rounding(net * 1.19)
END
by Ben git commit --quiet -am "Let the caller say how to round, the auditor insists"
git switch --quiet feature/vat
runs s1 "git rebase main"
says s1 "The rebase stopped in src/invoice.py. Both sides are wanted: rounding from Ben and the table from us."
dies s1
