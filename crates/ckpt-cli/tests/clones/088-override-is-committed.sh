# The author overrode his own gate for exactly this content, and committed that.
#: blocked ship
#: never ship: allowed
printf 'fn main() { evil() }\n' > main.rs
git add -A && git commit -q -m first
"$CKPT" start ship > /dev/null
"$CKPT" gate set ship --block 'tests fail'
"$CKPT" gate override ship --reason 'Trust me.'
