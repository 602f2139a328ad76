/* The minimum work of a durable checkpoint update, with no decisions in between:
 *
 *   lock, read the checkpoint, append to the history and sync it, write the new checkpoint beside the old one and sync
 *   it, rename it over the old one, sync the directory.
 *
 * usage: phase_floor DIR     DIR holds checkpoint.json; the other files are created if they are missing.
 * The exit code is 0 only after the last sync. */
#include "durable.h"

enum { HISTORY_LINE = 300 };

int main(int argc, char **argv) {
    static char checkpoint[LARGEST_FILE];

    enter(argc, argv);
    int lock = take_lock();
    size_t length = read_whole("checkpoint.json", checkpoint);
    append_durably("history.jsonl", HISTORY_LINE);
    replace_durably(".", "checkpoint.json", ".checkpoint.json.tmp", checkpoint, length);
    let_go(lock);
    return 0;
}
