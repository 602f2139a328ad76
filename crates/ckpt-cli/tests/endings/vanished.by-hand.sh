# A task that somebody removed with a decision in its place is not told at all: that was meant.
plan=plans/260301-0900-orders/plan.md
put $plan <<'END'
# Orders

<!-- CHECKPOINT: move -->
- [ ] Create the table <!-- TASK: create-table -->
- [ ] Drop the old table <!-- TASK: drop-old -->
END
ckpt plan sync
sed -i 's/^- .*drop-old.*/<!-- DECISION: No drop-old: the table stays -->/' $plan
gone vanished
ckpt plan sync
gone vanished
