# A directory of the sources is itself a bare repository, whose work tree is a place of the user.
#: in src
mkdir -p src/objects src/refs
printf "ref: refs/heads/main\\n" > src/HEAD
printf x > src/objects/x
printf x > src/refs/x
printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = %s\n' "$OUTSIDE" > src/config
mkdir -p "$OUTSIDE/.claude/state"
cp "$OUTSIDE/secret.json" "$OUTSIDE/.claude/state/implement-auth.json"
