# A done task that an edit opened again is told until the task is changed; a change to another task leaves it.
plan=plans/260301-0900-orders/plan.md
put $plan <<'END'
# Orders

<!-- CHECKPOINT: move -->
- [ ] Create the table <!-- TASK: create-table -->
- [ ] Copy the rows <!-- TASK: copy-rows -->
- [ ] Drop the old table <!-- TASK: drop-old -->
- [ ] Tell support <!-- TASK: tell-support -->
END
ckpt plan sync
ckpt plan done create-table copy-rows
gone reopened

sed -i 's/\[x\] Copy/[ ] Copy/' $plan
expect reopened
ckpt plan sync
expect reopened
ckpt plan done drop-old
expect reopened
ckpt plan done copy-rows
gone reopened
