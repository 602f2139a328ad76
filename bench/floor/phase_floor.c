/* The least that a durable checkpoint update must do, with nothing decided in between:
 *
 *   lock, read the checkpoint, append to the history and sync it, write the new checkpoint beside
 *   the old one and sync it, rename it over, sync the directory.
 *
 * usage: phase_floor DIR     DIR holds checkpoint.json; the other files are made when missing.
 * Exit code 0 only after the last sync. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { LARGEST_CHECKPOINT = 64 * 1024, HISTORY_LINE = 300 };

static int fail(const char *what) {
    perror(what);
    return 1;
}

static int write_whole(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0) return -1;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Returns the length, or -1 when the file cannot be read or does not fit. */
static ssize_t read_whole(int fd, char *bytes, size_t room) {
    size_t length = 0;
    while (length < room) {
        ssize_t got = read(fd, bytes + length, room - length);
        if (got < 0) return -1;
        if (got == 0) return (ssize_t)length;
        length += (size_t)got;
    }
    return -1;
}

int main(int argc, char **argv) {
    static char checkpoint[LARGEST_CHECKPOINT];
    static char line[HISTORY_LINE];

    if (argc != 2) {
        fputs("usage: phase_floor DIR\n", stderr);
        return 2;
    }
    if (chdir(argv[1]) < 0) return fail("chdir");

    int lock = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) return fail("open lock");
    if (flock(lock, LOCK_EX) < 0) return fail("flock");

    int old = open("checkpoint.json", O_RDONLY | O_CLOEXEC);
    if (old < 0) return fail("open checkpoint");
    ssize_t length = read_whole(old, checkpoint, sizeof checkpoint);
    if (length <= 0) return fail("read checkpoint");
    if (close(old) < 0) return fail("close checkpoint");

    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    int history = open("history.jsonl", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (history < 0) return fail("open history");
    if (write_whole(history, line, sizeof line) < 0) return fail("append history");
    if (fdatasync(history) < 0) return fail("sync history");
    if (close(history) < 0) return fail("close history");

    /* One byte differs from run to run, so that no layer below can call the write a repetition. */
    char *changed = &checkpoint[length / 2];
    *changed = *changed == 'a' ? 'b' : 'a';
    int next = open("checkpoint.json.tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (next < 0) return fail("open temp");
    if (write_whole(next, checkpoint, (size_t)length) < 0) return fail("write temp");
    if (fsync(next) < 0) return fail("sync temp");
    if (close(next) < 0) return fail("close temp");
    if (rename("checkpoint.json.tmp", "checkpoint.json") < 0) return fail("rename");

    int directory = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return fail("open directory");
    if (fsync(directory) < 0) return fail("sync directory");
    if (close(directory) < 0) return fail("close directory");
    if (close(lock) < 0) return fail("close lock");
    return 0;
}
