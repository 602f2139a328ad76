# Tasks that are gone are told until each is acknowledged; one that returns and goes again is told again.
plan=plans/260301-0900-orders/plan.md
put $plan <<'END'
# Orders

<!-- CHECKPOINT: move -->
- [ ] Create the table <!-- TASK: create-table -->
- [ ] Copy the rows <!-- TASK: copy-rows -->
- [ ] Drop the old table <!-- TASK: drop-old -->
END
ckpt plan sync
cp $plan "$LIFE/before"

sed -i -e '/copy-rows/d' -e '/drop-old/d' $plan
expect vanished
ckpt ack drop-old --reason 'the table stays'
expect vanished
ckpt ack copy-rows
gone vanished
cp "$LIFE/before" $plan
ckpt plan sync
sed -i '/drop-old/d' $plan
expect vanished
