// ckpt itself: whole commands, and calls of its Node package if that is built.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as content from "./content.mjs";
import { must, run } from "./measure.mjs";

const PACKAGE = fileURLToPath(new URL("../../crates/ckpt-node", import.meta.url));
const CALLS = fileURLToPath(new URL("calls.cjs", import.meta.url));
const PLAN = path.join("plans", "260129-1030-bench");
const PIPELINE = "PRD-001";

/** The number of tasks in each phase of a plan. */
const PHASE_TASKS = 20;

export default function ckpt({ env, binary, say }) {
  const command = (root, ...words) => ({ argv: [binary, ...words], cwd: root, env });
  const phase = (root, feature, name, ...words) => command(root, "phase", `implement/${feature}`, name, ...words);
  let hasPackage = false;

  /** Calls of the Node package, within a running process. */
  const calls = (root, feature, name) => {
    if (!hasPackage) return undefined;
    const call = (verb, i) => ({
      argv: [process.execPath, CALLS, PACKAGE, verb, feature, name, String(i)],
      cwd: root,
      env,
    });
    return { update: (i) => call("update", i), load: () => call("load", 0) };
  };

  return {
    name: "ckpt",
    short: "ckpt",
    install() {
      const loading = `require(${JSON.stringify(PACKAGE)}).loadCheckpoint`;
      hasPackage = run({ argv: [process.execPath, "--eval", loading], env }).code === 0;
      if (!hasPackage) say("not measured: calls of ckpt's Node package: run npm run build in crates/ckpt-node first");
      return must({ argv: [binary, "-V"], env })
        .replace("ckpt", "")
        .trim();
    },

    stores: [
      {
        shape: "phases",
        holds: "one checkpoint with N phases",
        says: { update: "`ckpt phase`", load: "`ckpt show`" },
        setup(folder, size) {
          const { root, head } = content.repository(folder, env);
          content.writeCheckpoints(root, [content.manyPhases(head, size)]);
          const name = `phase-${content.CHANGED}`;
          return {
            update: (i) => phase(root, content.BIG, name, content.statusOf(i)),
            updated: (i) => content.stored(root, content.BIG)?.phases[name].status === content.statusOf(i),
            load: () => command(root, "show", `implement/${content.BIG}`),
            loaded: (printed) => printed.includes(`phase-${size}`),
            calls: calls(root, content.BIG, name),
          };
        },
      },
      {
        shape: "tasks",
        holds: "a plan with N tasks",
        says: { update: "`ckpt plan done`, `undo` in turn", load: "`ckpt plan next`", list: "`ckpt plan show`" },
        setup(folder, size) {
          const { root } = content.repository(folder, env);
          writePlan(
            root,
            Array.from({ length: size }, (_, at) => `t${at + 1}`),
          );
          must(command(root, "plan", "sync"));
          const id = `t${content.CHANGED}`;
          return {
            update: (i) => command(root, "plan", i % 2 ? "undo" : "done", id),
            updated: (i) => ticked(root).includes(id) === (i % 2 === 0),
            load: () => command(root, "plan", "next"),
            loaded: (printed) => printed.includes("t1"),
            list: () => command(root, "plan", "show"),
            listed: (printed) => printed.includes(`t${size}`) && printed.trim().split("\n").length >= size,
          };
        },
      },
      {
        shape: "workstreams",
        holds: "a pipeline with N workstreams",
        says: {
          update: "`ckpt pipeline start`, `done` in turn",
          load: "`ckpt pipeline next`",
          list: "`ckpt pipeline show`",
        },
        setup(folder, size) {
          const { root } = content.repository(folder, env);
          const specification = path.join("docs", `EXECUTION-SPEC-${PIPELINE}.md`);
          fs.mkdirSync(path.join(root, "docs"));
          fs.writeFileSync(path.join(root, specification), specificationOf(size));
          must(command(root, "pipeline", "init", specification));
          const workstream = (i) => `WS${(i >> 1) + 1}`;
          return {
            update: (i) => command(root, "pipeline", i % 2 ? "done" : "start", PIPELINE, workstream(i)),
            updated: (i) => {
              const list = i % 2 ? "completed_workstreams" : "in_progress_workstreams";
              return storedPipeline(root)[list].includes(workstream(i));
            },
            load: () => command(root, "pipeline", "next", PIPELINE),
            loaded: (printed) => printed.includes(`WS${Math.min(size, 9)}`),
            list: () => command(root, "pipeline", "show", PIPELINE),
            listed: (printed) => printed.includes(`WS${size}:`),
          };
        },
      },
      {
        shape: "checkpoints",
        holds: "N checkpoints of 3 KB",
        says: { update: "`ckpt phase`", load: "`ckpt show`", list: "`ckpt list`" },
        setup(folder, size) {
          const { root, head } = content.repository(folder, env);
          content.writeCheckpoints(root, content.manyOrdinary(head, size));
          const feature = content.featureName(content.CHANGED);
          return {
            update: (i) => phase(root, feature, "build", content.statusOf(i)),
            updated: (i) => content.stored(root, feature)?.phases.build.status === content.statusOf(i),
            load: () => command(root, "show", `implement/${feature}`),
            loaded: (printed) => printed.includes(feature),
            list: () => command(root, "list"),
            listed: (printed) => printed.trim().split("\n").length === size,
            calls: calls(root, feature, "build"),
          };
        },
      },
    ],

    history: {
      note: "the edit, with author, time, commit and seal",
      setup(folder) {
        const { root, head } = content.repository(folder, env);
        content.writeCheckpoints(root, [content.ordinary("history", head)]);
        return {
          update: (i) => phase(root, "history", "build", "in_progress", "--summary", content.step(i)),
          bytes: () => content.bytes(path.join(root, ".claude", "state", "history")),
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
            update: (mark) => phase(root, "shared", mark, "complete"),
            surviving: () => content.completed(root, "shared"),
          };
        },
      },
      {
        what: (count) => `${count} files in the list of one phase`,
        setup(folder) {
          const { root, head } = content.repository(folder, env);
          content.writeCheckpoints(root, [content.ordinary("shared", head)]);
          return {
            update: (mark) => phase(root, "shared", "build", "--created", mark),
            surviving: () => ({ marks: content.stored(root, "shared")?.phases.build.files_created ?? [] }),
          };
        },
      },
      {
        what: (count) => `${count} tasks of one plan`,
        setup(folder, writers, updates) {
          const { root } = content.repository(folder, env);
          writePlan(root, [...content.marks(writers, updates)]);
          must(command(root, "plan", "sync"));
          return {
            update: (mark) => command(root, "plan", "done", mark),
            surviving: () => ({ marks: ticked(root) }),
          };
        },
      },
    ],
  };
}

function writePlan(root, ids) {
  const lines = ["# Bench"];
  ids.forEach((id, at) => {
    const number = at / PHASE_TASKS + 1;
    if (at % PHASE_TASKS === 0) lines.push("", `## Phase ${number}`, "", `<!-- CHECKPOINT: phase-${number} -->`, "");
    lines.push(`- [ ] Task ${at + 1} of the plan <!-- TASK: ${id} -->`);
  });
  fs.mkdirSync(path.join(root, PLAN), { recursive: true });
  fs.writeFileSync(path.join(root, PLAN, "plan.md"), `${lines.join("\n")}\n`);
}

/** The ids of the tasks that are done. */
function ticked(root) {
  const text = fs.readFileSync(path.join(root, PLAN, "plan.md"), "utf8");
  return [...text.matchAll(/^- \[x\] .*<!-- TASK: (\S+) -->$/gm)].map(([, id]) => id);
}

function specificationOf(size) {
  const numbers = Array.from({ length: size }, (_, at) => at + 1);
  const workstreams = numbers.map(
    (number) => `  WS${number}:\n    name: Workstream ${number}\n    outputs: [src/ws${number}.ts]`,
  );
  return [
    "---",
    `prd: ${PIPELINE}`,
    "prd_title: Bench",
    "workstreams:",
    ...workstreams,
    "execution_phases:",
    "  - name: All",
    `    parallel: [${numbers.map((number) => `WS${number}`).join(", ")}]`,
    "---",
    "# Bench",
    "",
  ].join("\n");
}

function storedPipeline(root) {
  const place = path.join(root, ".claude", "skills", "build-pipeline", "checkpoints", `${PIPELINE}.json`);
  return JSON.parse(fs.readFileSync(place, "utf8"));
}
