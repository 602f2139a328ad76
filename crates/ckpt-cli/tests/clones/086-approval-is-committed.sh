# The author approved the content in his own repository, and committed the approval.
#: blocked ship
#: never ship: allowed
printf 'fn main() { evil() }\n' > main.rs
git add -A && git commit -q -m first
"$CKPT" start ship > /dev/null
"$CKPT" gate set ship --allow
"$CKPT" gate check ship > /dev/null
