# An unpacked archive has a receipt in its git directory, which names files of the user.
if [ "$1" = after ]; then
    mkdir -p .git/ckpt
    printf '{"files":[{"path":"%s/thesis","created":true,"directories":["%s"],"edit":[[0,"","keep\\n"]]},{"path":"../outside/secret","created":false,"directories":[],"edit":[[0,"evil\\n",""]]}]}\n' "$OUTSIDE" "$OUTSIDE/empty" > .git/ckpt/init.json
    mkdir "$OUTSIDE/empty"
    printf 'keep\n' > "$OUTSIDE/thesis"
    exit
fi
mkdir -p .claude/state
