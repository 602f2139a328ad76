/* The minimum work to tick a task, with no decisions in between:
 *
 *   lock, read the plan and its state, append to the history and sync it; then for the plan and for the state: write
 *   the new one beside the old one and sync it, put it in the place of the old one, sync the directory. Editors save the
 *   plan without the lock. So it changes places with the old one, which is read before it is removed: if it is not what
 *   was read at the beginning, somebody has saved in between.
 *
 * usage: plan_floor DIR     DIR holds plan.md and .checkpoint/state.json; other files are created.
 * The exit code is 0 only after the last sync. */
#include "durable.h"

enum { HISTORY_LINE = 640 };

int main(int argc, char **argv) {
    static char plan[LARGEST_FILE], state[LARGEST_FILE];

    enter(argc, argv);
    int lock = take_lock();
    size_t plan_length = read_whole("plan.md", plan);
    size_t state_length = read_whole(".checkpoint/state.json", state);
    append_durably(".checkpoint/history.jsonl", HISTORY_LINE);
    exchange_durably(".", "plan.md", ".plan.md.tmp", plan, plan_length);
    replace_durably(".checkpoint", ".checkpoint/state.json", ".checkpoint/.state.json.tmp", state, state_length);
    let_go(lock);
    return 0;
}
