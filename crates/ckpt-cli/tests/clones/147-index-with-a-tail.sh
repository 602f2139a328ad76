# An unpacked archive has an index with a tail that git passes over, and a submodule with a filter.
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
    python3 - <<'P'
import hashlib
data = open('.git/index', 'rb').read()[:-20] + b'\0' * 4
open('.git/index', 'wb').write(data + hashlib.sha1(data).digest())
P
    exit
fi
mkdir -p .claude/state
