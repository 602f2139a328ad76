// The addon and the command line do the same: random operations through both leave the same files.
"use strict";

const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const ckpt = require("ckpt");
const { binary, commit, directory, git, heard } = require("./helpers/place.cjs");
const { chance } = require("./helpers/random.cjs");

const ROUNDS = Number(process.env.CKPT_ROUNDS ?? 12);
const STEPS = 25;

/** One operation, for both surfaces. */
function operations({ below, one }) {
  const command = one(["design", "ship", "odd name"]);
  const feature = one([null, null, "auth", "auth", "auth", "ä/ö", ".."]);
  const key = feature === null ? command : `${command}/${feature}`;
  const phase = one(["research", "research", "L1-T1", "L1-T1", "a b", ""]);
  const data = {};
  const status = one(["pending", "in_progress", "complete", "failed", "skipped", "complete", "odd", null]);
  if (status !== null) data.status = status;
  if (below(2)) data.context_summary = Array(one([1, 20, 500, 501])).fill("w").join(" ");
  if (below(3) === 0) data.tasks = { [`T${below(4)}`]: { done: below(2) === 1, n: below(100) } };
  if (below(4) === 0) data.files_created = ["a.rs", `b${below(3)}.rs`];
  if (below(5) === 0) data.error = one(["it broke", null]);
  const document = {
    command,
    ...(feature === null ? {} : { feature }),
    version: one([1, 1, 1, 2]),
    state: { current_phase: one([null, "research"]), completed_phases: [], pending_phases: ["x"] },
    phases: { [phase || "p"]: data },
    extra: below(5),
  };
  return one([
    {
      addon: () => ckpt.updatePhase(command, phase, data, feature),
      typed: ["phase", "--new", "--data", JSON.stringify(data), "--", key, phase],
    },
    {
      addon: () => ckpt.updatePhase(command, phase, data, feature),
      typed: ["phase", "--new", "--data", JSON.stringify(data), "--", key, phase],
    },
    { addon: () => ckpt.completeCheckpoint(command, feature), typed: ["complete", "--force", "--", key] },
    {
      addon: () => ckpt.saveCheckpoint(command, document, feature),
      typed: ["save", "--new", "--", key],
      input: JSON.stringify(document),
    },
    { addon: () => ckpt.open().command.start(command, feature, { new: true }), typed: ["start", "--new", "--", command, ...(feature === null ? [] : [feature])] },
    { addon: () => ckpt.open().command.abandon(key, { reason: "enough" }), typed: ["abandon", "--reason=enough", "--", key] },
    { addon: () => ckpt.open().gates.set(key, { block: ["not yet"] }), typed: ["gate", "set", "--block=not yet", "--", key] },
  ]);
}

/** Every checkpoint without times and seals, and the parts of the history that do not depend on them. */
function state(root) {
  const folder = path.join(root, ".claude", "state");
  if (!fs.existsSync(folder)) return {};
  const files = fs.readdirSync(folder, { recursive: true }).sort();
  const entries = files.filter((name) => /\.jsonl?$/.test(name)).map((name) => {
    const text = fs.readFileSync(path.join(folder, name), "utf8");
    if (name.endsWith(".json")) {
      const timeless = text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
      return [name, timeless.replace(/"seal": "[0-9a-f-]+"/g, '"seal": "SEAL"')];
    }
    const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    return [name, lines.map(({ event, rev, by, phase, status }) => ({ event, rev, by, phase, status }))];
  });
  return Object.fromEntries(entries);
}

test("random operations through the addon and through the command line leave the same files", (t) => {
  const program = binary();
  const before = process.cwd();
  t.after(() => process.chdir(before));
  // The same commit at the same time has the same hash in both.
  process.env.GIT_AUTHOR_DATE = process.env.GIT_COMMITTER_DATE = "2026-01-29T10:30:00Z";
  let worked = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const roots = [directory(t), directory(t)];
    for (const root of roots) {
      git(root, "init", "--quiet", "--initial-branch=main");
      commit(root);
    }
    const random = chance(round + 1);
    const told = [];
    for (let step = 0; step < STEPS; step += 1) {
      const operation = operations(random);
      process.chdir(roots[0]);
      let done;
      heard(() => {
        try {
          done = operation.addon() !== false;
        } catch (error) {
          assert.ok(error instanceof ckpt.CkptError, error);
          done = false;
        }
      });
      const run = spawnSync(program, ["--json", ...operation.typed], {
        cwd: roots[1],
        input: operation.input ?? "",
        encoding: "utf8",
      });
      told.push(`${operation.typed.join(" ").slice(0, 200)} -> ${run.status}`);
      const context = `round ${round}\n${told.join("\n")}\n${run.stderr}`;
      assert.strictEqual(done, run.status === 0, context);
      assert.deepStrictEqual(state(roots[0]), state(roots[1]), context);
      worked += Number(done);
    }
  }
  assert.ok(worked > ROUNDS * STEPS * 0.3, `only ${worked} did anything`);
});
