# A gate that ran on older content is told until it runs again; a commit of the new content leaves it.
commits src/pay.py "def charge(): ..."
ckpt start implement pay --phases build,test
ckpt gate run implement/pay tests -- grep -q charge src/pay.py
gone gate_older

put src/pay.py <<< "def charge(order): ..."
expect gate_older
git commit --quiet --all -m "Charge orders"
expect gate_older
ckpt phase implement/pay build complete
expect gate_older
ckpt gate run implement/pay tests -- grep -q charge src/pay.py
gone gate_older
