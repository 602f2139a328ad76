/* Runs one program and prints its cost:
 *
 *   WALL_NANOSECONDS CPU_MICROSECONDS PEAK_RSS_KIB EXIT_CODE
 *
 * usage: launch PROGRAM [ARGUMENT...] [< INPUT]
 *
 * Why a separate launcher: wait4 gives the usage of exactly one child, whereas getrusage gives the sum (for memory, the
 * maximum) over all children so far. Also, Linux counts the memory of the spawning process towards the peak of the
 * spawned one, so the spawning process has to be tiny. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int fail(const char *what, int error) {
    fprintf(stderr, "%s: %s\n", what, strerror(error));
    return 1;
}

static long long microseconds(struct timeval time) {
    return time.tv_sec * 1000000LL + time.tv_usec;
}

int main(int argc, char **argv) {
    posix_spawn_file_actions_t files;
    struct timespec begin, end;
    struct rusage usage;
    pid_t child;
    int status, error;

    if (argc < 2) {
        fputs("usage: launch PROGRAM [ARGUMENT...]\n", stderr);
        return 2;
    }
    if ((error = posix_spawn_file_actions_init(&files)) != 0) return fail("spawn actions", error);
    for (int fd = 1; fd <= 2; fd++) {
        error = posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_WRONLY, 0);
        if (error != 0) return fail("spawn actions", error);
    }

    clock_gettime(CLOCK_MONOTONIC, &begin);
    if ((error = posix_spawn(&child, argv[1], &files, NULL, argv + 1, environ)) != 0)
        return fail(argv[1], error);
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR) return fail("wait4", errno);
    clock_gettime(CLOCK_MONOTONIC, &end);

    long long wall = (end.tv_sec - begin.tv_sec) * 1000000000LL + (end.tv_nsec - begin.tv_nsec);
    long long cpu = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    printf("%lld %lld %ld %d\n", wall, cpu, usage.ru_maxrss, code);
    return 0;
}
