// Node and the addon: a failing addon does not take Node down, and ending Node ends the addon.
"use strict";

const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const { once } = require("node:events");
const path = require("node:path");
const test = require("node:test");
const { Worker } = require("node:worker_threads");
const { PACKAGE, directory } = require("./helpers/place.cjs");

/** Runs a program in its own process, which must end by itself. */
function run(root, program) {
  const ran = spawnSync(process.execPath, ["--input-type=commonjs", "--eval", program], {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
    env: { ...process.env, CKPT_PACKAGE: PACKAGE },
  });
  assert.strictEqual(ran.signal, null, `it did not end by itself: ${ran.stderr}`);
  assert.strictEqual(ran.status, 0, ran.stderr);
  return { stdout: ran.stdout.trim(), stderr: ran.stderr.trim() };
}

test("a panic is reported as a failure, and Node continues", (t) => {
  const { stdout, stderr } = run(
    directory(t),
    `const native = require(process.env.CKPT_PACKAGE + "/lib/native.cjs");
     Object.assign(native, require(process.env.CKPT_PACKAGE + "/test/panicking.node"));
     const { updatePhase } = require(process.env.CKPT_PACKAGE);
     const told = [native.panicAtWork({ command: "design", directory: process.cwd() }).note];
     try {
       native.panicRunning();
     } catch (error) {
       told.push(error.message);
     }
     native.panicRunningAsync().catch((error) => {
       told.push(error.message, updatePhase("design", "a", {}));
       console.log(JSON.stringify(told));
     });`,
  );
  const note = "ckpt failed with an internal error: on purpose";
  assert.deepStrictEqual(JSON.parse(stdout), [note, note, note, true]);
  assert.strictEqual(stderr, "");
});

test("the published addon has nothing that panics on purpose", () => {
  const names = Object.keys(require("../lib/native.cjs"));
  assert.ok(names.includes("run"));
  assert.deepStrictEqual(names.filter((name) => /panic/i.test(name)), []);
});

test("the addon does not keep a process alive that has nothing left to do", (t) => {
  const root = directory(t);
  run(root, `require(process.env.CKPT_PACKAGE)`);
  run(root, `require(process.env.CKPT_PACKAGE).updatePhase("design", "a", {})`);
  const { stdout } = run(
    root,
    `require(process.env.CKPT_PACKAGE).open().promises.list().then(({ checkpoints }) => console.log(checkpoints.length))`,
  );
  assert.strictEqual(stdout, "1");
});

test("workers can load and unload the addon, even if the main thread has not loaded it", (t) => {
  const { stdout } = run(
    directory(t),
    `const { Worker } = require("node:worker_threads");
     const { once } = require("node:events");
     const program = 'const ckpt = require(process.env.CKPT_PACKAGE);' +
       'ckpt.open().promises.status();' +
       'require("node:worker_threads").parentPort.postMessage(ckpt.updatePhase("design", "a", {}));';
     (async () => {
       let done = 0;
       for (let round = 0; round < 20; round += 1) {
         const worker = new Worker(program, { eval: true });
         const exit = once(worker, "exit");
         const [saved] = await once(worker, "message");
         done += Number(saved);
         // Half of them are terminated while they work.
         if (round % 2) worker.terminate();
         await exit;
       }
       console.log(done);
     })();`,
  );
  assert.strictEqual(stdout, "20");
});

test("a worker sees its own variables", async (t) => {
  const root = directory(t);
  const worker = new Worker(
    `const ckpt = require(${JSON.stringify(PACKAGE)});
     const { parentPort } = require("node:worker_threads");
     process.env.GIT_ROOT = ${JSON.stringify(root)};
     ckpt.updatePhase("design", "worker", {});
     const workspace = ckpt.open();
     workspace.promises.list().then(({ checkpoints }) =>
       parentPort.postMessage([ckpt.getStateDir(), workspace.getStateDir(), checkpoints.length]));`,
    { eval: true },
  );
  const [answer] = await once(worker, "message");
  const state = path.join(root, ".claude", "state");
  assert.deepStrictEqual(answer, [state, state, 1]);
});
