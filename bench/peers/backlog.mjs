// backlog.md: whole commands of `backlog`, installed with npm.
import fs from "node:fs";
import path from "node:path";
import * as content from "./content.mjs";
import { must } from "./measure.mjs";

const VERSION = "1.52.0";

export default function backlog({ env, ownEnv }) {
  let program;

  /** A project with these tasks, written directly in the format of the tool: making them one by one takes too long. */
  function store(folder, tasks) {
    const { root } = content.repository(folder, env);
    const command = (...words) => ({ argv: [program, ...words], cwd: root, env });
    must(command("init", "bench", "--defaults", "--integration-mode", "none"));
    const place = (number) => path.join(root, "backlog", "tasks", `task-${number} - Task-${number}.md`);
    fs.mkdirSync(path.join(root, "backlog", "tasks"), { recursive: true });
    tasks.forEach((task, at) => fs.writeFileSync(place(at + 1), text(at + 1, task)));
    const read = (number) => fs.readFileSync(place(number), "utf8");
    return { command, read, root };
  }

  const edit = (command, number, ...words) => command("task", "edit", `TASK-${number}`, ...words, "--plain");

  return {
    name: "backlog.md",
    short: "backlog.md",
    install(folder) {
      // The package's own command starts Node, which starts this program. Measuring the program leaves Node out.
      const place = `backlog.md-${process.platform}-${process.arch}`;
      program = path.join(folder, "node_modules", place, "backlog");
      if (!fs.existsSync(program)) {
        fs.mkdirSync(folder, { recursive: true });
        const argv = [
          "npm",
          "install",
          "--prefix",
          folder,
          "--no-audit",
          "--no-fund",
          "--silent",
          `backlog.md@${VERSION}`,
        ];
        must({ argv, env: ownEnv });
      }
      return must({ argv: [program, "--version"], env }).trim();
    },

    stores: [
      {
        shape: "tasks",
        holds: "N tasks",
        says: { update: "`backlog task edit`", load: "`backlog task`", list: "`backlog task list`" },
        setup(folder, size) {
          const { command, read } = store(
            folder,
            Array.from({ length: size }, () => ({})),
          );
          const status = (i) => (i % 2 ? "To Do" : "In Progress");
          return {
            update: (i) => edit(command, content.CHANGED, "--status", status(i)),
            updated: (i) => read(content.CHANGED).includes(`\nstatus: ${status(i)}\n`),
            load: () => command("task", `TASK-${content.CHANGED}`, "--plain"),
            loaded: (printed) => printed.includes(`Task ${content.CHANGED}`),
            list: () => command("task", "list", "--plain"),
            listed: (printed) => (printed.match(/TASK-\d+/g) ?? []).length === size,
          };
        },
      },
    ],

    history: {
      note: "keeps none: git keeps what is committed",
      most: 10,
      setup(folder) {
        const summary = content.ordinary("history", "").phases.research.context_summary;
        const { command, root } = store(folder, [{ description: `${summary}\n${summary}\n${summary}`.slice(0, 2600) }]);
        return {
          update: (i) => edit(command, 1, "--notes", content.step(i)),
          bytes: () => content.bytes(path.join(root, "backlog")),
        };
      },
    },

    writers: [
      {
        what: (count) => `${count} tasks`,
        setup(folder, writers, updates) {
          const all = [...content.marks(writers, updates)];
          const { command, read } = store(
            folder,
            all.map(() => ({})),
          );
          return {
            update: (mark) => edit(command, all.indexOf(mark) + 1, "--status", "Done"),
            surviving: () => ({ marks: all.filter((_, at) => read(at + 1).includes("\nstatus: Done\n")) }),
          };
        },
      },
      {
        what: (count) => `${count} acceptance criteria of one task`,
        setup(folder, writers, updates) {
          const all = [...content.marks(writers, updates)];
          const { command, read } = store(folder, [{ criteria: all }]);
          return {
            update: (mark) => edit(command, 1, "--check-ac", String(all.indexOf(mark) + 1)),
            surviving: () => ({ marks: [...read(1).matchAll(/^- \[x\] #\d+ (\S+)$/gm)].map(([, mark]) => mark) }),
          };
        },
      },
    ],
  };
}

function text(number, { description = `Task ${number} of the plan.`, criteria = [] }) {
  const lines = [
    "---",
    `id: TASK-${number}`,
    `title: Task ${number}`,
    "status: To Do",
    "assignee: []",
    "created_date: '2026-01-29 10:30'",
    "labels: []",
    "dependencies: []",
    `ordinal: ${number * 1000}`,
    "---",
    "",
    "## Description",
    "",
    "<!-- SECTION:DESCRIPTION:BEGIN -->",
    description,
    "<!-- SECTION:DESCRIPTION:END -->",
  ];
  if (criteria.length > 0) {
    const boxes = criteria.map((criterion, at) => `- [ ] #${at + 1} ${criterion}`);
    lines.push("", "## Acceptance Criteria", "<!-- AC:BEGIN -->", ...boxes, "<!-- AC:END -->");
  }
  return `${lines.join("\n")}\n`;
}
