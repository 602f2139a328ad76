# A directory has a .git whose files are pipes.
#: in sub
#: root sub sub/.git
if [ "$1" = after ]; then
    mkdir -p sub/.git/objects sub/.git/refs
    mkfifo sub/.git/HEAD sub/.git/config sub/.git/commondir sub/.git/index sub/.git/packed-refs
    exit
fi
mkdir -p sub/.claude/state
printf '{"command":"implement","feature":"auth","version":1,"head_commit":"0","state":{},"phases":{}}\n' > sub/.claude/state/implement-auth.json
