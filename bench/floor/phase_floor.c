/* The least that a durable checkpoint update must do, with nothing decided in between:
 *
 *   lock, read the checkpoint, append to the history and sync it, write the new checkpoint beside
 *   the old one and sync it, rename it over, sync the directory.
 *
 * usage: phase_floor DIR     DIR holds checkpoint.json; the other files are made when missing.
 * Exit code 0 only after the last sync. */
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
