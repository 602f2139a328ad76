/* The least that ticking a task must do, with nothing decided in between:
 *
 *   lock, read the plan and its state, append to the history and sync it; then for the plan and for
 *   the state: write beside and sync, rename over, sync the directory.
 *
 * usage: plan_floor DIR     DIR holds plan.md and .checkpoint/state.json; other files are made.
 * Exit code 0 only after the last sync. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { LARGEST_FILE = 64 * 1024, HISTORY_LINE = 640 };

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

static size_t read_whole(const char *path, char *bytes) {
    size_t length = 0;
    ssize_t got;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail(path);
    while ((got = read(fd, bytes + length, LARGEST_FILE - length)) > 0) length += (size_t)got;
    if (got < 0 || length == 0 || length == LARGEST_FILE) fail(path);
    if (close(fd) < 0) fail(path);
    return length;
}

static void append(const char *path) {
    char line[HISTORY_LINE];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) fail(path);
    write_whole(fd, line, sizeof line);
    if (fdatasync(fd) < 0) fail("sync history");
    if (close(fd) < 0) fail(path);
}

static void replace(const char *directory, const char *path, const char *beside, char *bytes,
                    size_t length) {
    /* One byte differs from run to run, so that no layer below can call the write a repetition. */
    char *changed = &bytes[length / 2];
    *changed = *changed == 'a' ? 'b' : 'a';
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) fail(beside);
    write_whole(fd, bytes, length);
    if (fdatasync(fd) < 0) fail("sync temp");
    if (close(fd) < 0) fail(beside);
    if (rename(beside, path) < 0) fail("rename");
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) fail(directory);
    if (fsync(fd) < 0) fail("sync directory");
    if (close(fd) < 0) fail(directory);
}

int main(int argc, char **argv) {
    static char plan[LARGEST_FILE], state[LARGEST_FILE];

    if (argc != 2) {
        fputs("usage: plan_floor DIR\n", stderr);
        return 2;
    }
    if (chdir(argv[1]) < 0) fail("chdir");

    int lock = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) fail("open lock");
    if (flock(lock, LOCK_EX) < 0) fail("flock");

    size_t plan_length = read_whole("plan.md", plan);
    size_t state_length = read_whole(".checkpoint/state.json", state);
    append(".checkpoint/history.jsonl");
    replace(".", "plan.md", ".plan.md.tmp", plan, plan_length);
    replace(".checkpoint", ".checkpoint/state.json", ".checkpoint/.state.json.tmp", state,
            state_length);
    if (close(lock) < 0) fail("close lock");
    return 0;
}
