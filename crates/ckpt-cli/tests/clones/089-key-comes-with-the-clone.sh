# The author commits his approval together with the key that sealed it, in every place a key could be looked for.
#: blocked ship
#: never ship: allowed
git add -A && git commit -q -m first
"$CKPT" init --agent claude > /dev/null && "$CKPT" init --uninstall > /dev/null
"$CKPT" start ship > /dev/null
"$CKPT" gate set ship --allow
key=.git/ckpt/key
[ -f "$key" ] || { key=../out/key; printf '%064d\n' 7 > "$key"; }
for place in .claude .claude/state .claude/state/ckpt .claude/config ckpt .ckpt .claude/state/keys plans/.checkpoint .config/ckpt .local/state/ckpt; do
    mkdir -p "$place"
    cp "$key" "$place/key"
done
printf '{"key":".claude/state/key","key_file":".claude/state/key"}\n' > .claude/config/ckpt.json
"$CKPT" gate set ship --allow
