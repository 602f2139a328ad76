/* The minimum work of a list of checkpoints: read every .json file in one directory in full.
 *
 * usage: list_floor DIR     prints the number of files and their total size in bytes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int fail(const char *what) {
    perror(what);
    return 1;
}

static int is_json(const char *name) {
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

int main(int argc, char **argv) {
    static char bytes[64 * 1024];
    unsigned long files = 0, total = 0;

    if (argc != 2) {
        fputs("usage: list_floor DIR\n", stderr);
        return 2;
    }
    DIR *directory = opendir(argv[1]);
    if (directory == NULL) return fail("opendir");

    for (;;) {
        /* readdir returns NULL both at the end and on failure; only errno tells them apart. */
        errno = 0;
        struct dirent *entry = readdir(directory);
        if (entry == NULL) {
            if (errno != 0) return fail("readdir");
            break;
        }
        if (!is_json(entry->d_name)) continue;

        int file = openat(dirfd(directory), entry->d_name, O_RDONLY | O_CLOEXEC);
        if (file < 0) return fail(entry->d_name);
        ssize_t got;
        while ((got = read(file, bytes, sizeof bytes)) > 0) total += (unsigned long)got;
        if (got < 0) return fail(entry->d_name);
        if (close(file) < 0) return fail(entry->d_name);
        files += 1;
    }
    if (closedir(directory) < 0) return fail("closedir");
    if (printf("%lu files, %lu bytes\n", files, total) < 0) return fail("print");
    return 0;
}
