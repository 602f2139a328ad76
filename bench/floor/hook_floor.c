/* The minimum work after a plan was edited, with no decisions in between:
 *
 *   read the event, read the plan and its state, lock; sync the plan and its directory, because the editor may not have
 *   and the history is about to rely on it; append to the history and sync it; then for the state: write the new one
 *   beside the old one and sync it, rename it over the old one, sync the directory; then add a line to the log.
 *
 * usage: hook_floor DIR     DIR holds plan.md and .checkpoint/state.json; other files are created.
 * The exit code is 0 only after the last sync. */
#include "durable.h"

enum { HISTORY_LINE = 640, LOG_LINE = 96 };

int main(int argc, char **argv) {
    static char event[LARGEST_FILE], plan[LARGEST_FILE], state[LARGEST_FILE];

    enter(argc, argv);
    read_all(0, event);
    read_whole("plan.md", plan);
    size_t length = read_whole(".checkpoint/state.json", state);
    int lock = take_lock();
    sync_path("plan.md", O_RDONLY);
    sync_path(".", O_RDONLY | O_DIRECTORY);
    append_durably(".checkpoint/history.jsonl", HISTORY_LINE);
    replace_durably(".checkpoint", ".checkpoint/state.json", ".checkpoint/.state.json.tmp", state, length);
    let_go(lock);
    if (close(add_line("hooks.jsonl", LOG_LINE)) < 0) fail("close log");
    return 0;
}
