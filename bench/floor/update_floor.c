/* Durable updates of a file and its history, and nothing else: append to the history and sync it, write the new content
 * beside the old and sync it, rename it over the old, sync the directory. Prints the average cost of one update, in the
 * launcher's format.
 *
 * usage: update_floor DIR     DIR holds checkpoint.json; the other files are created if they are missing. */
#include "durable.h"

#include <time.h>

enum { HISTORY_LINE = 300, UPDATES = 20 };

static long long nanoseconds(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) < 0) fail("clock");
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void update(char *content, size_t length) {
    append_durably("history.jsonl", HISTORY_LINE);
    replace_durably(".", "checkpoint.json", ".checkpoint.json.tmp", content, length);
}

int main(int argc, char **argv) {
    static char content[LARGEST_FILE];

    enter(argc, argv);
    size_t length = read_whole("checkpoint.json", content);
    for (int call = 0; call < UPDATES / 2; call++) update(content, length);
    long long wall = nanoseconds(CLOCK_MONOTONIC), cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int call = 0; call < UPDATES; call++) update(content, length);
    wall = nanoseconds(CLOCK_MONOTONIC) - wall;
    cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("%lld %lld 0 0 result true\n", wall / UPDATES, cpu / UPDATES / 1000);
    return 0;
}
