// taskwarrior: whole commands of `task`, unpacked from the Debian package.
import fs from "node:fs";
import path from "node:path";
import * as content from "./content.mjs";
import { must, run } from "./measure.mjs";

export default function taskwarrior({ env }) {
  let program;

  /** An empty store with these tasks. Questions are off, because nobody answers them. */
  function store(folder, tasks) {
    content.repository(folder, env);
    const data = path.join(folder, "data");
    fs.mkdirSync(data);
    const rc = path.join(folder, "taskrc");
    fs.writeFileSync(rc, "confirmation=off\n");
    const own = { ...env, TASKRC: rc, TASKDATA: data };
    const task = (...words) => ({ argv: [program, ...words], cwd: folder, env: own });
    const entry = "20260129T103000Z";
    const all = tasks.map((description, at) => ({ uuid: uuid(at + 1), description, status: "pending", entry }));
    must({ ...task("import", "-"), input: JSON.stringify(all) });
    return { task, data, exported: () => JSON.parse(must(task("export"))) };
  }

  return {
    name: "taskwarrior",
    short: "taskwarrior",
    install(folder) {
      const found = run({ argv: ["/bin/sh", "-c", "command -v task"], env });
      program = found.code === 0 ? found.stdout.trim() : unpacked(folder, env);
      return must({ argv: [program, "--version"], env: { ...env, TASKRC: "/dev/null" } }).trim();
    },

    stores: [
      {
        shape: "tasks",
        holds: "N tasks",
        says: { update: "`task 7 modify`", load: "`task 7 info`", list: "`task export`" },
        setup(folder, size) {
          const { task, exported } = store(
            folder,
            Array.from({ length: size }, (_, at) => `Task ${at + 1} of the plan`),
          );
          const priority = (i) => (i % 2 ? "L" : "H");
          return {
            update: (i) => task(String(content.CHANGED), "modify", `priority:${priority(i)}`),
            updated: (i) => exported().find(({ id }) => id === content.CHANGED)?.priority === priority(i),
            load: () => task(String(content.CHANGED), "info"),
            loaded: (printed) => printed.includes(`Task ${content.CHANGED} of the plan`),
            list: () => task("export"),
            listed: (printed) => JSON.parse(printed).length === size,
          };
        },
      },
    ],

    history: {
      note: "the task before and after, for `task undo`, and once more for `task sync`",
      setup(folder) {
        const text = content.ordinary("history", "").phases.research.context_summary;
        const { task, data } = store(folder, [`${text} ${text} ${text}`.slice(0, 3000)]);
        return {
          update: (i) => task("1", "modify", `project:step-${String(i).padStart(3, "0")}`),
          bytes: () => content.bytes(path.join(data, "undo.data"), path.join(data, "backlog.data")),
        };
      },
    },

    writers: [
      {
        what: (count) => `${count} tasks`,
        setup(folder, writers, updates) {
          const all = [...content.marks(writers, updates)];
          const { task, exported } = store(folder, all);
          return {
            update: (mark) => task(uuid(all.indexOf(mark) + 1), "modify", "priority:H"),
            surviving: () => ({
              marks: exported()
                .filter(({ priority }) => priority === "H")
                .map(({ description }) => description),
            }),
          };
        },
      },
      {
        what: (count) => `${count} annotations of one task`,
        setup(folder) {
          const { task, exported } = store(folder, ["Shared"]);
          return {
            update: (mark) => task(uuid(1), "annotate", mark),
            surviving: () => ({
              marks: exported().flatMap(({ annotations = [] }) => annotations.map(({ description }) => description)),
            }),
          };
        },
      },
    ],
  };
}

function uuid(number) {
  const hex = number.toString(16);
  return `${hex.padStart(8, "0")}-0000-4000-8000-${hex.padStart(12, "0")}`;
}

/** Downloads the Debian package and unpacks it, so that nothing on the system changes. */
function unpacked(folder, env) {
  const program = path.join(folder, "root", "usr", "bin", "task");
  if (!fs.existsSync(program)) {
    fs.mkdirSync(folder, { recursive: true });
    must({ argv: ["apt-get", "download", "--quiet", "taskwarrior"], cwd: folder, env });
    const archive = fs.readdirSync(folder).find((name) => name.endsWith(".deb"));
    must({ argv: ["dpkg", "--extract", path.join(folder, archive), path.join(folder, "root")], env });
  }
  return program;
}
