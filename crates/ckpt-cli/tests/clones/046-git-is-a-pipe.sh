# A directory has a pipe called .git, which nobody ever writes to.
#: in sub
#: root sub sub/.git
[ "$1" = after ] && { mkfifo sub/.git; exit; }
mkdir sub
printf 'x\n' > sub/x
