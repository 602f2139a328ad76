// LangGraph's SQLite saver: whole processes, and calls within a running one.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as content from "./content.mjs";
import { must, run } from "./measure.mjs";

const SCRIPT = fileURLToPath(new URL("langgraph_saver.py", import.meta.url));
const PACKAGE = "langgraph-checkpoint-sqlite";
const VERSION = "3.1.2";

export default function langgraph({ env, ownEnv }) {
  let python;

  /** A database with one thread for each of these documents. */
  function store(folder, documents) {
    const { root, head } = content.repository(folder, env);
    const database = path.join(root, "checkpoints.sqlite");
    const saver = (verb, ...words) => ({ argv: [python, SCRIPT, verb, database, ...words], cwd: root, env });
    const lines = path.join(root, "documents.jsonl");
    const out = fs.openSync(lines, "w");
    for (const document of documents(head)) fs.writeSync(out, `${JSON.stringify(document)}\n`);
    fs.closeSync(out);
    must(saver("fill", lines));
    fs.rmSync(lines);
    return { saver, database };
  }

  const loadedFrom = (saver, thread) => JSON.parse(must(saver("load", thread)));

  return {
    name: "LangGraph SQLite saver",
    short: "LangGraph",
    install(folder) {
      python = path.join(folder, "bin", "python");
      const isThere = () =>
        fs.existsSync(python) && run({ argv: [python, "-c", "import langgraph.checkpoint.sqlite"], env }).code === 0;
      if (!isThere()) {
        must({ argv: ["python3", "-m", "venv", "--clear", folder], env: ownEnv });
        const options = ["--quiet", "--disable-pip-version-check"];
        must({ argv: [python, "-m", "pip", "install", ...options, `${PACKAGE}==${VERSION}`], env: ownEnv });
      }
      const asking = `import importlib.metadata as m; print(m.version("${PACKAGE}"))`;
      return must({ argv: [python, "-c", asking], env }).trim();
    },

    stores: [
      {
        shape: "phases",
        holds: "one thread with N phases",
        says: { update: "`get_tuple`, `put`", load: "`get_tuple`" },
        setup(folder, size) {
          const { saver } = store(folder, (head) => [content.manyPhases(head, size)]);
          const phase = `phase-${content.CHANGED}`;
          return {
            update: (i) => saver("update", content.BIG, phase, content.statusOf(i)),
            updated: (i) => loadedFrom(saver, content.BIG).phases[phase].status === content.statusOf(i),
            load: () => saver("load", content.BIG),
            loaded: (printed) => printed.includes(`"phase-${size}"`),
            calls: {
              update: (i) => saver("calls", "update", content.BIG, phase, String(i)),
              load: () => saver("calls", "load", content.BIG, phase, "0"),
            },
          };
        },
      },
      {
        shape: "checkpoints",
        holds: "N threads of 3 KB",
        says: { update: "`get_tuple`, `put`", load: "`get_tuple`", list: "`list`" },
        setup(folder, size) {
          const { saver } = store(folder, (head) => content.manyOrdinary(head, size));
          const feature = content.featureName(content.CHANGED);
          return {
            update: (i) => saver("update", feature, "build", content.statusOf(i)),
            updated: (i) => loadedFrom(saver, feature).phases.build.status === content.statusOf(i),
            load: () => saver("load", feature),
            loaded: (printed) => printed.includes(`"${feature}"`),
            list: () => saver("list"),
            listed: (printed) => printed.trim().split("\n").length === size,
            calls: {
              update: (i) => saver("calls", "update", feature, "build", String(i)),
              load: () => saver("calls", "load", feature, "build", "0"),
              list: () => saver("calls", "list", feature, "build", "0"),
            },
          };
        },
      },
    ],

    history: {
      note: "the whole state",
      setup(folder) {
        const { saver, database } = store(folder, (head) => [content.ordinary("history", head)]);
        return {
          updates: (count) => saver("steps", "history", "build", String(count)),
          bytes: () => content.bytes(database, `${database}-wal`),
        };
      },
    },

    writers: [
      {
        what: (count, writers) => `${count / writers} phases in each of ${writers} threads`,
        setup(folder, writers) {
          const names = Array.from({ length: writers }, (_, at) => `shared-${at + 1}`);
          const { saver } = store(folder, (head) => names.map((name) => content.ordinary(name, head)));
          return {
            writer: (number, marks) => saver("writer", `shared-${number}`, ...marks),
            surviving: () => ({ marks: JSON.parse(must(saver("marks"))) }),
          };
        },
      },
      {
        what: (count) => `${count} phases of one thread`,
        setup(folder) {
          const { saver } = store(folder, (head) => [content.ordinary("shared", head)]);
          return {
            writer: (_, marks) => saver("writer", "shared", ...marks),
            surviving: () => ({ marks: JSON.parse(must(saver("marks"))) }),
          };
        },
      },
    ],
  };
}
