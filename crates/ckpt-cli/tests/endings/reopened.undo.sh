# A task that was undone with a command is not told at all: that was meant.
put plans/260301-0900-orders/plan.md <<'END'
# Orders

<!-- CHECKPOINT: move -->
- [ ] Create the table <!-- TASK: create-table -->
- [ ] Copy the rows <!-- TASK: copy-rows -->
END
ckpt plan sync
ckpt plan done create-table
ckpt plan undo create-table
gone reopened
