# A done task that is open again is told until somebody acknowledges it; its next reopening is told again.
plans_orders
ckpt plan done create-table copy-rows

sed -i 's/\[x\] Create/[ ] Create/' $plan
expect reopened
ckpt ack create-table --reason 'the table must be made anew'
gone reopened
ckpt plan note 'the table gets a new name'
gone reopened
ckpt plan done create-table
echo 'The shop stays open.' >> $plan
sed -i 's/\[x\] Create/[ ] Create/' $plan
expect reopened
