# A task that is gone is still told when the next command, with no sync before it, ticks another task.
plan=plans/260301-0900-orders/plan.md
put $plan <<'END'
# Orders

<!-- CHECKPOINT: move -->
- [ ] Create the table <!-- TASK: create-table -->
- [ ] Copy the rows <!-- TASK: copy-rows -->
- [ ] Drop the old table <!-- TASK: drop-old -->
END
ckpt plan sync

sed -i '/drop-old/d' $plan
expect vanished
ckpt plan done create-table
expect vanished
