# An unpacked archive has settings of git that a careless reader takes for others: no object has such ids.
if [ "$1" = after ]; then
    git init -q sub
    printf 'x\n' > sub/a.txt
    git -C sub add a.txt
    git -C sub commit -q -m sub
    git -c advice.addEmbeddedRepo=false add sub
    git commit -q -m sub
    "$CKPT" start ship > /dev/null
    "$CKPT" gate set ship --allow
    git -C sub config filter.one.clean "$CANARY"
    mkdir -p sub/.git/info
    printf '*.txt filter=one\n' > sub/.git/info/attributes
    touch sub/a.txt
    printf '[x]\n\ty = a\\\n[extensions] objectformat = sha256\n' >> .git/config
    exit
fi
mkdir -p .claude/state
