# A gate that failed is told until it passes; a change to the checkpoint or the files is not enough.
commits src/pay.py "def charge(): ..."
ckpt start implement pay --phases build,test
ckpt gate run implement/pay tests -- grep -q twice src/pay.py || true
expect gate_failed
if ckpt ack tests; then exit 1; fi
ckpt phase implement/pay build complete
expect gate_failed
commits src/pay.py "def charge(twice): ..."
expect gate_failed
ckpt gate run implement/pay tests -- grep -q once src/pay.py || true
expect gate_failed
ckpt gate run implement/pay tests -- grep -q twice src/pay.py
gone gate_failed
