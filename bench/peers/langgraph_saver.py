# Keeps checkpoints with LangGraph's SQLite saver, for the comparison in langgraph.mjs.
#
#   fill DB DOCUMENTS              one thread for each document in a file of JSON lines
#   update DB THREAD PHASE STATUS  one whole process for one update
#   load DB THREAD                 prints the state of a thread
#   list DB                        prints every thread
#   calls DB VERB THREAD PHASE N   several calls in one process; prints the cost of one, in the launcher's format
#   steps DB THREAD PHASE COUNT    this many updates in one process
#   writer DB THREAD MARK...       waits for a line, then adds each mark to a thread and prints 0, or 1 if that failed
#   marks DB                       prints the marks that the newest state of each thread has
#
# An update is what one step of a graph does at the least: read the newest state, change it, put the new one.
import json
import resource
import statistics
import sys
import time

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver

WARM = 2
CALLS = 5


def config(thread):
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}


def change(saver, thread, edit):
    found = saver.get_tuple(config(thread))
    checkpoint = found.checkpoint
    edit(checkpoint["channel_values"])
    fresh = empty_checkpoint()
    checkpoint["id"], checkpoint["ts"] = fresh["id"], fresh["ts"]
    saver.put(found.config, checkpoint, {"source": "loop", "step": 1, "parents": {}}, {})


def set_status(phase, status, summary=None):
    def edit(values):
        values["phases"][phase]["status"] = status
        if summary is not None:
            values["phases"][phase]["context_summary"] = summary
    return edit


def fill(saver, path):
    saver.setup()
    # Only while the store is made: this many synced commits would take minutes.
    saver.conn.execute("PRAGMA synchronous=OFF")
    for line in open(path, encoding="utf-8"):
        document = json.loads(line)
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = document
        saver.put(config(document["feature"]), checkpoint, {"source": "input", "step": 0, "parents": {}}, {})


def load(saver, thread):
    return saver.get_tuple(config(thread)).checkpoint["channel_values"]


def threads(saver):
    seen = {}
    for found in saver.list(None):
        thread = found.config["configurable"]["thread_id"]
        # The newest comes first.
        seen.setdefault(thread, found.checkpoint["channel_values"]["state"]["current_phase"])
    return seen


def calls(saver, verb, thread, phase, number):
    work = {
        "update": lambda call: change(saver, thread, set_status(phase, "complete", f"Step {number}.{call} is done.")),
        "load": lambda call: load(saver, thread),
        "list": lambda call: threads(saver),
    }[verb]
    walls, cpus = [], []
    for call in range(WARM + CALLS):
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        work(call)
        wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
        if call >= WARM:
            walls.append(wall)
            cpus.append(cpu)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(int(statistics.median(walls)), int(statistics.median(cpus)) // 1000, peak, 0)


def writer(saver, thread, marks):
    saver.get_tuple(config(thread))
    print("ready", flush=True)
    sys.stdin.readline()
    for mark in marks:
        try:
            change(saver, thread, lambda values: values["phases"].update({mark: {"status": "complete"}}))
            print(0, flush=True)
        except Exception as error:
            print(error, file=sys.stderr)
            print(1, flush=True)


def main(verb, database, *rest):
    with SqliteSaver.from_conn_string(database) as saver:
        if verb == "fill":
            fill(saver, *rest)
        elif verb == "update":
            thread, phase, status = rest
            change(saver, thread, set_status(phase, status))
        elif verb == "load":
            print(json.dumps(load(saver, *rest)))
        elif verb == "list":
            print("\n".join(f"{thread}\t{phase}" for thread, phase in threads(saver).items()))
        elif verb == "calls":
            calls(saver, *rest)
        elif verb == "steps":
            thread, phase, count = rest
            for step in range(int(count)):
                change(saver, thread, set_status(phase, "in_progress", f"Step {step:03} is done."))
        elif verb == "writer":
            writer(saver, rest[0], rest[1:])
        elif verb == "marks":
            found = [load(saver, thread) for thread in threads(saver)]
            print(json.dumps([mark for state in found for mark, phase in state["phases"].items() if mark[0] == "w"]))
        else:
            sys.exit(f"unknown: {verb}")


main(*sys.argv[1:])
