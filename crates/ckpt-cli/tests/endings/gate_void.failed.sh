# A gate that fails after an approval is told as failed; the approval still fits the content, and a new one would not help.
commits src/pay.py "def charge(): ..."
ckpt start ship
ckpt gate set ship --allow
ckpt gate run ship tests -- false || true
expect gate_failed
gone gate_void
ckpt gate run ship tests -- true
gone gate_failed
ckpt gate check ship
