# An override is told until an approval, even when it no longer fits the content.
commits src/pay.py "def charge(): ..."
ckpt start ship
ckpt gate set ship --block 'two tests fail'
gone gate_overridden
ckpt gate override ship --reason 'hotfix, agreed with Ana'
expect gate_overridden
ckpt phase ship pre-flight complete
expect gate_overridden
put src/pay.py <<< "def charge(order): ..."
expect gate_overridden
git commit --quiet --all -m "Charge orders"
ckpt gate set ship --allow
gone gate_overridden
