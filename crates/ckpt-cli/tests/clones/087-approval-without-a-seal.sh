# The approval of the author is committed without anything that says where it was given.
#: blocked ship
#: never ship: allowed
printf 'fn main() { evil() }\n' > main.rs
git add -A && git commit -q -m first
"$CKPT" start ship > /dev/null
"$CKPT" gate set ship --allow
sed -i 's/"seal": *"[^"]*"/"seal": null/' .claude/state/ship-checkpoint.json
rm -rf .claude/state/history .claude/state/locks
