# The settings for an agent name settings of git that lie in the clone, beside the submodule that the agent works in.
#: in sub
#: root sub .git/modules/sub
#: with GIT_CONFIG_GLOBAL=$CLONE/evil
#: with CKPT_CONFIG=$CLONE/evil.json
if [ "$1" = after ]; then
    git init -q sub
    printf '*.txt filter=x\n' > sub/.gitattributes
    printf 'x\n' > sub/a.txt
    git -C sub add .
    git -C sub commit -q -m sub
    mkdir -p .git/modules sub/.claude
    mv sub/.git .git/modules/sub
    printf 'gitdir: ../.git/modules/sub\n' > sub/.git
    git -C sub config core.worktree ../../../sub
    ( cd sub && "$CKPT" start ship && "$CKPT" gate set ship --allow ) > /dev/null
    touch sub/a.txt
    exit
fi
printf '[filter "x"]\n\tclean = %s\n' "$CANARY" > evil
printf '{"follow_symlinks":true,"repository_filters":true}\n' > evil.json
