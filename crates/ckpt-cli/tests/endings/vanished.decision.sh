# A task that is gone is told until a decision names it; a decision about something else leaves it.
plans_orders
ckpt plan done create-table

sed -i -e '/create-table/d' -e '/drop-old/d' $plan
ckpt plan sync
expect vanished
ckpt plan decide 'copy-rows runs at night'
ckpt plan decide 'No drop-old: the table stays'
expect vanished
ckpt plan decide 'No create-table: the new database has it'
gone vanished
