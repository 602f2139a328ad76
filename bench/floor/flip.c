/* Ticks the first open box of a plan in place, as an editor does, and then executes another program.
 *
 * usage: flip PLAN PROGRAM [ARGUMENT...] */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_PLAN = 1024 * 1024 };

int main(int argc, char **argv) {
    static char plan[LARGEST_PLAN];

    if (argc < 3) {
        fputs("usage: flip PLAN PROGRAM [ARGUMENT...]\n", stderr);
        return 2;
    }
    int fd = open(argv[1], O_RDWR | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, plan, sizeof plan);
    if (length < 0) {
        perror(argv[1]);
        return 1;
    }
    char *box = memmem(plan, (size_t)length, "- [ ] ", 6);
    if (box == NULL) {
        fputs("no box is open\n", stderr);
        return 1;
    }
    if (pwrite(fd, "x", 1, box - plan + 3) != 1 || close(fd) < 0) {
        perror(argv[1]);
        return 1;
    }
    execv(argv[2], &argv[2]);
    perror(argv[2]);
    return 1;
}
