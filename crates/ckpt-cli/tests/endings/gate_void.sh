# An approval for other content is told until a new approval; a commit of the other content leaves it.
commits src/pay.py "def charge(): ..."
ckpt start ship
ckpt gate set ship --allow
gone gate_void

put src/pay.py <<< "def charge(twice): ..."
expect gate_void
git commit --quiet --all -m "Charge twice"
expect gate_void
ckpt phase ship pre-flight complete
expect gate_void
ckpt gate set ship --allow
gone gate_void
