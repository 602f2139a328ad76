# An unpacked archive has a submodule whose git directory has links to files of the user, where init writes.
#: in sub
#: root sub .git/modules/sub
if [ "$1" = after ]; then
    git init -q sub
    printf 'x\n' > sub/a.txt
    git -C sub add a.txt
    git -C sub commit -q -m sub
    mkdir -p .git/modules
    mv sub/.git .git/modules/sub
    printf 'gitdir: ../.git/modules/sub\n' > sub/.git
    git -C sub config core.worktree ../../../sub
    mkdir -p .git/modules/sub/info .git/modules/sub/hooks
    ln -sf "$OUTSIDE/secret" .git/modules/sub/info/exclude
    ln -sf "$OUTSIDE/plan.md" .git/modules/sub/hooks/pre-push
    mkdir -p sub/.claude
    exit
fi
mkdir -p .claude/state
