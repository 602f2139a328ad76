/* Durable updates of a file and its history, and nothing else: append to the history and sync it, write the new content
 * beside the old one and sync it, rename it over, sync the directory. Prints, as the launcher does, what one of many cost.
 *
 * usage: update_floor DIR     DIR holds checkpoint.json; the other files are made when missing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST_CHECKPOINT = 64 * 1024, HISTORY_LINE = 300, UPDATES = 20 };

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void write_whole(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0) fail("write");
        bytes += written;
        length -= (size_t)written;
    }
}

static long long nanoseconds(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) < 0) fail("clock");
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void update(char *content, size_t length) {
    char line[HISTORY_LINE];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    int fd = open("history.jsonl", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) fail("open history");
    write_whole(fd, line, sizeof line);
    if (fdatasync(fd) < 0) fail("sync history");
    if (close(fd) < 0) fail("close history");
    /* One byte differs each time, so that no layer below can call the write a repetition. */
    char *changed = &content[length / 2];
    *changed = *changed == 'a' ? 'b' : 'a';
    fd = open(".checkpoint.json.tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) fail("open temp");
    write_whole(fd, content, length);
    if (fdatasync(fd) < 0) fail("sync temp");
    if (close(fd) < 0) fail("close temp");
    if (rename(".checkpoint.json.tmp", "checkpoint.json") < 0) fail("rename");
    fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) fail("open directory");
    if (fsync(fd) < 0) fail("sync directory");
    if (close(fd) < 0) fail("close directory");
}

int main(int argc, char **argv) {
    static char content[LARGEST_CHECKPOINT];

    if (argc != 2) {
        fputs("usage: update_floor DIR\n", stderr);
        return 2;
    }
    if (chdir(argv[1]) < 0) fail("chdir");
    int fd = open("checkpoint.json", O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail("open checkpoint");
    ssize_t length = read(fd, content, sizeof content);
    if (length <= 0 || length == sizeof content) fail("read checkpoint");
    if (close(fd) < 0) fail("close checkpoint");
    for (int call = 0; call < UPDATES / 2; call++) update(content, (size_t)length);
    long long wall = nanoseconds(CLOCK_MONOTONIC), cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int call = 0; call < UPDATES; call++) update(content, (size_t)length);
    wall = nanoseconds(CLOCK_MONOTONIC) - wall;
    cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("%lld %lld 0 0 result true\n", wall / UPDATES, cpu / UPDATES / 1000);
    return 0;
}
