# A done task is told as open again when an editor saves the plan exactly as it was before, with no commit or branch in between.
plan=plans/260301-0900-orders/plan.md
put $plan <<'END'
# Orders

<!-- CHECKPOINT: move -->
- [ ] Create the table <!-- TASK: create-table -->
- [ ] Copy the rows <!-- TASK: copy-rows -->
END
ckpt plan sync
cp $plan "$LIFE/editor-buffer"
ckpt plan done create-table
cp "$LIFE/editor-buffer" $plan
expect reopened
ckpt plan sync
expect reopened
ckpt plan done create-table
gone reopened
