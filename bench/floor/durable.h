/* What the floors share: reading whole files, and writing files so that they survive a power cut. Any failure ends the
 * program. */
#ifndef DURABLE_H
#define DURABLE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { LARGEST_FILE = 64 * 1024, LONGEST_LINE = 640 };

static inline void fail(const char *what) {
    perror(what);
    exit(1);
}

/* Changes to the directory that is the only argument. */
static inline void enter(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIR\n", argv[0]);
        exit(2);
    }
    if (chdir(argv[1]) < 0) fail("chdir");
}

static inline int take_lock(void) {
    int lock = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) fail("open lock");
    if (flock(lock, LOCK_EX) < 0) fail("flock");
    return lock;
}

static inline void let_go(int lock) {
    if (close(lock) < 0) fail("close lock");
}

static inline void write_whole(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0) fail("write");
        bytes += written;
        length -= (size_t)written;
    }
}

/* Reads to the end, into a buffer of LARGEST_FILE bytes. */
static inline size_t read_all(int fd, char *bytes) {
    size_t length = 0;
    ssize_t got;
    while ((got = read(fd, bytes + length, LARGEST_FILE - length)) > 0) length += (size_t)got;
    if (got < 0 || length == 0 || length == LARGEST_FILE) fail("read");
    return length;
}

static inline size_t read_whole(const char *path, char *bytes) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail(path);
    size_t length = read_all(fd, bytes);
    if (close(fd) < 0) fail(path);
    return length;
}

/* Adds a line of this length, at most LONGEST_LINE, and leaves the file open. */
static inline int add_line(const char *path, size_t length) {
    char line[LONGEST_LINE];
    memset(line, 'x', length);
    line[length - 1] = '\n';
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) fail(path);
    write_whole(fd, line, length);
    return fd;
}

/* Makes a file or a directory durable that others wrote. */
static inline void sync_path(const char *path, int flags) {
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0) fail(path);
    if (fsync(fd) < 0) fail(path);
    if (close(fd) < 0) fail(path);
}

static inline void append_durably(const char *path, size_t length) {
    int fd = add_line(path, length);
    if (fdatasync(fd) < 0) fail("sync history");
    if (close(fd) < 0) fail(path);
}

/* Writes and syncs a file. */
static inline void fill_durably(const char *path, char *bytes, size_t length) {
    /* One byte differs from run to run, so that no layer below can skip the write because nothing has changed. */
    char *changed = &bytes[length / 2];
    *changed = *changed == 'a' ? 'b' : 'a';
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) fail(path);
    write_whole(fd, bytes, length);
    if (fdatasync(fd) < 0) fail("sync temp");
    if (close(fd) < 0) fail(path);
}

static inline void replace_durably(const char *directory, const char *path, const char *beside, char *bytes,
                                   size_t length) {
    fill_durably(beside, bytes, length);
    if (rename(beside, path) < 0) fail("rename");
    sync_path(directory, O_RDONLY | O_DIRECTORY);
}

/* The same for a file that others write without the lock: reads what was there, and fails if it is not of this length. */
static inline void exchange_durably(const char *directory, const char *path, const char *beside, char *bytes,
                                    size_t length) {
    static char out[LARGEST_FILE];
    fill_durably(beside, bytes, length);
    if (renameat2(AT_FDCWD, beside, AT_FDCWD, path, RENAME_EXCHANGE) < 0) fail("exchange");
    if (read_whole(beside, out) != length) fail("somebody has saved in between");
    sync_path(directory, O_RDONLY | O_DIRECTORY);
    if (unlink(beside) < 0) fail("unlink");
}

#endif
