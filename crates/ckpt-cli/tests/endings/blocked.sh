# A blocker is told until it is removed, by command or by hand; finishing something else leaves it.
plan=plans/260301-0900-refunds/plan.md
put $plan <<'END'
# Refunds

<!-- CHECKPOINT: refunds -->
- [ ] Call the endpoint <!-- TASK: refund-call -->
- [ ] Write the mail <!-- TASK: refund-mail -->
END
ckpt plan sync
ckpt plan block 'refund-call: waiting for the account'
expect blocked
ckpt plan done refund-mail
ckpt plan decide 'refund-call: we wait'
expect blocked
ckpt plan unblock 'waiting for the account'
gone blocked

echo '<!-- BLOCKER: the provider is down -->' >> $plan
expect blocked
sed -i '/BLOCKER/d' $plan
gone blocked
