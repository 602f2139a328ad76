# A task that is gone from the plan is told until it is back; a change to another task leaves it.
plan=plans/260301-0900-orders/plan.md
put $plan <<'END'
# Orders

<!-- CHECKPOINT: move -->
- [ ] Create the table <!-- TASK: create-table -->
- [ ] Copy the rows <!-- TASK: copy-rows -->
- [ ] Drop the old table <!-- TASK: drop-old -->
END
git add . && git commit --quiet -m "Plan the move"
ckpt plan sync
cp $plan "$LIFE/before"

sed -i '/drop-old/d' $plan
git commit --quiet --all -m "Save an old copy"
expect vanished
ckpt plan sync
expect vanished
ckpt plan done create-table
expect vanished
cp "$LIFE/before" $plan
gone vanished
