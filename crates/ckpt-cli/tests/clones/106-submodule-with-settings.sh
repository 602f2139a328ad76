# A submodule has a .git file that names a git directory in an unpacked archive, whose settings name a program.
if [ "$1" = after ]; then
    mkdir -p sub
    cp -r evil .evil && printf 'gitdir: ../.evil\n' > sub/.git
    GIT_DIR=.evil GIT_WORK_TREE=sub git config core.fsmonitor "$CANARY"
    "$CKPT" gate set ship --allow
    printf 'more\n' > sub/x
    exit
fi
git init -q sub && printf 'x\n' > sub/x && git -C sub add -A && git -C sub commit -q -m sub
cp -r sub/.git evil && printf '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n' > .gitmodules
mkdir -p .claude/state
printf '{"command":"ship","version":1,"state":{},"phases":{}}\n' > .claude/state/ship-checkpoint.json
