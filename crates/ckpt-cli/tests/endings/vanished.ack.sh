# Tasks that are gone are told until each is acknowledged; one that returns and goes again is told again.
plans_orders
cp $plan "$LIFE/before"

sed -i -e '/copy-rows/d' -e '/drop-old/d' $plan
expect vanished
ckpt ack drop-old --reason 'the table stays'
expect vanished
ckpt ack copy-rows
gone vanished
cp "$LIFE/before" $plan
ckpt plan sync
sed -i '/drop-old/d' $plan
expect vanished
