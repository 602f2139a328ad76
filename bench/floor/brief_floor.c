/* The minimum work of a brief: ask git which files are not committed, and wait for the answer.
 *
 * usage: brief_floor DIR */
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int status;

    if (argc < 2 || chdir(argv[1]) < 0) return 2;
    pid_t git = vfork();
    if (git < 0) return 1;
    if (git == 0) {
        execlp("git", "git", "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all",
               "--ignore-submodules=dirty", (char *)0);
        _exit(127);
    }
    if (waitpid(git, &status, 0) < 0) return 1;
    return status != 0;
}
