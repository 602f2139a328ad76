# A task that is gone is told until a decision names it; a decision about something else leaves it.
plan=plans/260301-0900-orders/plan.md
put $plan <<'END'
# Orders

<!-- CHECKPOINT: move -->
- [ ] Create the table <!-- TASK: create-table -->
- [ ] Copy the rows <!-- TASK: copy-rows -->
- [ ] Drop the old table <!-- TASK: drop-old -->
END
ckpt plan sync
ckpt plan done create-table

sed -i -e '/create-table/d' -e '/drop-old/d' $plan
ckpt plan sync
expect vanished
ckpt plan decide 'copy-rows runs at night'
ckpt plan decide 'No drop-old: the table stays'
expect vanished
ckpt plan decide 'No create-table: the new database has it'
gone vanished
