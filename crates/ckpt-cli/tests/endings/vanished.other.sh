# A task that is gone is still told when the next command, with no sync before it, ticks another task.
plans_orders

sed -i '/drop-old/d' $plan
expect vanished
ckpt plan done create-table
expect vanished
