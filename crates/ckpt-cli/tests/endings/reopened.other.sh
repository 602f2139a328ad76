# A done task that an edit opened again is still told when the next command, with no sync before it, ticks another task.
plans_orders
ckpt plan done create-table copy-rows

sed -i 's/\[x\] Copy/[ ] Copy/' $plan
expect reopened
ckpt plan done drop-old
expect reopened
