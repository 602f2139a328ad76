// Many writers at once.
"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const { once } = require("node:events");
const path = require("node:path");
const test = require("node:test");
const { Worker } = require("node:worker_threads");
const ckpt = require("ckpt");
const { repository } = require("./helpers/place.cjs");

const WRITER = path.join(__dirname, "helpers", "writer.cjs");
const WRITERS = 8;
const UPDATES = 12;

test("8 workers and 8 processes update one checkpoint, and nothing is lost", async (t) => {
  const root = repository(t);
  const env = { ...process.env, CKPT_LOCK_TIMEOUT_MS: "120000" };
  const ends = [];
  for (let writer = 0; writer < WRITERS; writer += 1) {
    const worker = new Worker(WRITER, { workerData: { name: `worker${writer}`, updates: UPDATES }, env });
    ends.push(once(worker, "exit").then(([code]) => assert.strictEqual(code, 0)));
    const child = spawn(process.execPath, [WRITER, `process${writer}`, String(UPDATES)], { cwd: root, env, stdio: "inherit" });
    ends.push(once(child, "exit").then(([code]) => assert.strictEqual(code, 0)));
  }
  await Promise.all(ends);
  const names = ["worker", "process"].flatMap((kind) =>
    Array.from({ length: WRITERS * UPDATES }, (_, at) => `${kind}${Math.floor(at / UPDATES)}-${at % UPDATES}`),
  );
  const checkpoint = ckpt.loadCheckpoint("implement", "race");
  assert.deepStrictEqual(Object.keys(checkpoint.phases).sort(), [...names, "shared"].sort());
  assert.deepStrictEqual(Object.keys(checkpoint.phases.shared.tasks).sort(), [...names].sort());
  assert.deepStrictEqual(checkpoint.state.completed_phases.toSorted(), [...names].sort());
  const { entries } = ckpt.open().history.log("implement/race", { number: 100000 });
  const revisions = new Set(entries.map((entry) => entry.rev));
  assert.strictEqual(revisions.size, names.length * 2);
});

test("promises change what they should, all of them", async (t) => {
  repository(t);
  const workspace = ckpt.open(".", { by: "team:many" });
  await workspace.promises.command.start("implement", "auth");
  const phases = Array.from({ length: 40 }, (_, at) => `phase-${at}`);
  await Promise.all(phases.map((phase) => workspace.promises.command.phase("implement/auth", phase, "complete")));
  const { document } = workspace.command.show("implement/auth");
  assert.deepStrictEqual(document.state.completed_phases.toSorted(), phases.toSorted());
});
