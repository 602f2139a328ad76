# An approval that a pull made void is told until a new approval.
commits src/pay.py "def charge(): ..."
ckpt start ship
ckpt gate set ship --allow
git clone --quiet . ../bo
(cd ../bo && by Bo commits src/pay.py "def charge(order): ...")
gone gate_void
git pull --quiet ../bo main
expect gate_void
ckpt ack commits
expect gate_void
ckpt gate set ship --allow
gone gate_void
