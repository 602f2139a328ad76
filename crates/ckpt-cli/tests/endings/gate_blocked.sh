# A gate that somebody blocked is told until an approval; other reasons and other changes leave it.
commits src/pay.py "def charge(): ..."
ckpt start ship
gone gate_blocked
ckpt gate set ship --block 'two tests fail'
expect gate_blocked
ckpt phase ship pre-flight complete
expect gate_blocked
ckpt gate set ship --block 'one test fails'
expect gate_blocked
ckpt gate set ship --allow
gone gate_blocked
