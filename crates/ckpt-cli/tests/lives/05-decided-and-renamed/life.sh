# The next task has two notes, the second of which takes back the first, and a decision. A function they name was renamed.
put plans/260306-0930-metered-billing/plan.md <<'END'
# Metered billing

## Metering
<!-- CHECKPOINT: metering -->
- [ ] Record the usage of each account <!-- TASK: record-usage -->
- [ ] Close a billing period <!-- TASK: close-period -->

## Invoices
<!-- CHECKPOINT: invoices -->
- [ ] Prorate upgrades within a period <!-- TASK: prorate-upgrades -->
- [ ] Show usage on the invoice <!-- TASK: usage-lines -->
END
put billing/usage.py <<'END'
def period_bounds(account, day): return first_of(day), last_of(day)
def record(account, units): store(account, units)
END
git add . && git commit --quiet -m "Plan the metered billing"
ckpt plan sync

begins bill
runs bill "ckpt plan done record-usage close-period && git commit -qam 'Record usage and close periods'"
runs bill "ckpt plan decide 'Usage is kept for 18 months' --reason 'tax law'"
runs bill "ckpt plan decide 'prorate-upgrades rounds each line half up, never the total' --reason 'the auditors add up the lines'"
runs bill "ckpt plan decide 'usage-lines are sorted by day' --reason 'support asked for it'"
runs bill "ckpt plan note 'prorate-upgrades: share by calendar days'"
runs bill "ckpt plan note 'usage-lines: the template has room for twelve'"
runs bill "ckpt plan note 'prorate-upgrades: not calendar days after all, share by seconds between the bounds that period_bounds in billing/usage.py gives'"
runs bill "git commit -qam 'Note the decisions'"
ends bill

put billing/usage.py <<'END'
def billing_window(account, moment): return account.opened_at(moment), account.closes_at(moment)
def record(account, units): store(account, units)
END
git commit --quiet -am "Let the window follow the account"
