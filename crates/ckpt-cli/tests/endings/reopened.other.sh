# A done task that an edit opened again is still told when the next command, with no sync before it, ticks another task.
plan=plans/260301-0900-orders/plan.md
put $plan <<'END'
# Orders

<!-- CHECKPOINT: move -->
- [ ] Create the table <!-- TASK: create-table -->
- [ ] Copy the rows <!-- TASK: copy-rows -->
- [ ] Drop the old table <!-- TASK: drop-old -->
END
ckpt plan sync
ckpt plan done create-table copy-rows

sed -i 's/\[x\] Copy/[ ] Copy/' $plan
expect reopened
ckpt plan done drop-old
expect reopened
