// The seeds' approach in Node (seed.cjs).
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as content from "./content.mjs";

const SCRIPT = fileURLToPath(new URL("seed.cjs", import.meta.url));

export default function seed({ env }) {
  const node = (root, ...words) => ({ argv: [process.execPath, SCRIPT, ...words], cwd: root, env });
  const update = (root, feature, phase, data) =>
    node(root, "update", "implement", feature, phase, JSON.stringify(data));

  return {
    name: "the seeds' approach (Node)",
    short: "seeds (Node)",
    install: () => `Node ${process.versions.node}`,

    stores: [
      {
        shape: "phases",
        holds: "one checkpoint with N phases",
        says: { update: "update", load: "load" },
        setup(folder, size) {
          const { root, head } = content.repository(folder, env);
          content.writeCheckpoints(root, [content.manyPhases(head, size)]);
          const phase = `phase-${content.CHANGED}`;
          return {
            update: (i) => update(root, content.BIG, phase, { status: content.statusOf(i) }),
            updated: (i) => content.stored(root, content.BIG)?.phases[phase].status === content.statusOf(i),
            load: () => node(root, "load", "implement", content.BIG),
            loaded: (printed) => printed.includes(`"phase-${size}"`),
          };
        },
      },
      {
        shape: "checkpoints",
        holds: "N checkpoints of 3 KB",
        says: { update: "update", load: "load", list: "read every file" },
        setup(folder, size) {
          const { root, head } = content.repository(folder, env);
          content.writeCheckpoints(root, content.manyOrdinary(head, size));
          const feature = content.featureName(content.CHANGED);
          return {
            update: (i) => update(root, feature, "build", { status: content.statusOf(i) }),
            updated: (i) => content.stored(root, feature)?.phases.build.status === content.statusOf(i),
            load: () => node(root, "load", "implement", feature),
            loaded: (printed) => printed.includes(`"${feature}"`),
            list: () => node(root, "list"),
            listed: (printed) => printed.trim().split("\n").length === size,
          };
        },
      },
    ],

    history: {
      note: "keeps none: each save replaces the last",
      most: 10,
      setup(folder) {
        const { root, head } = content.repository(folder, env);
        content.writeCheckpoints(root, [content.ordinary("history", head)]);
        return {
          update: (i) => update(root, "history", "build", { status: "in_progress", context_summary: content.step(i) }),
          bytes: () => content.bytes(path.join(root, ".claude", "state")),
        };
      },
    },

    writers: [
      {
        what: (count) => `${count} phases of one checkpoint`,
        setup(folder, writers, updates) {
          const { root, head } = content.repository(folder, env);
          const phases = Object.fromEntries(
            [...content.marks(writers, updates)].map((name) => [name, { status: "pending" }]),
          );
          content.writeCheckpoints(root, [{ ...content.ordinary("shared", head), phases }]);
          return {
            update: (mark) => update(root, "shared", mark, { status: "complete" }),
            surviving: () => content.completed(root, "shared"),
          };
        },
      },
    ],
  };
}
