// The package in place of the files that it replaces, set up as in ADOPTION.md, passes their tests.
"use strict";

const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const { PACKAGE, directory } = require("./helpers/place.cjs");

/** The files that the guide says to write, by name. */
function shims() {
  const guide = fs.readFileSync(path.join(PACKAGE, "ADOPTION.md"), "utf8");
  const blocks = guide.matchAll(/```js\n\/\/ \.claude\/scripts\/lib\/(\S+)\n([^`]+)```/g);
  return [...blocks].map(([, name, text]) => [name, text]);
}

test("one-line files replace the old ones, and the old tests pass", (t) => {
  const root = directory(t);
  const lib = path.join(root, ".claude", "scripts", "lib");
  fs.mkdirSync(lib, { recursive: true });
  fs.mkdirSync(path.join(root, "node_modules"));
  fs.symlinkSync(PACKAGE, path.join(root, "node_modules", "ckpt"), "dir");
  const written = shims();
  assert.deepStrictEqual(written.map(([name]) => name), ["checkpoint-manager.cjs", "token-counter.cjs", "utils.cjs"]);
  for (const [name, text] of written) {
    assert.strictEqual(text.trim().split("\n").length, 1, "a shim is one line");
    fs.writeFileSync(path.join(lib, name), text);
  }
  for (const name of ["token-counter.test.cjs", "checkpoint-manager.test.cjs"]) {
    fs.copyFileSync(path.join(PACKAGE, "test", "seed", name), path.join(lib, name));
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const run = spawnSync(process.execPath, ["--test", path.join(lib, name)], { cwd: root, encoding: "utf8", env });
    assert.strictEqual(run.status, 0, run.stdout + run.stderr);
    assert.match(run.stdout, /^# pass 3$/m, run.stdout);
  }
});

test("each file exports what it did, and nothing else", () => {
  assert.deepStrictEqual(Object.keys(require("ckpt/checkpoint-manager.cjs")), [
    "loadCheckpoint",
    "saveCheckpoint",
    "updatePhase",
    "completeCheckpoint",
    "getResumePoint",
  ]);
  assert.deepStrictEqual(Object.keys(require("ckpt/token-counter.cjs")), [
    "MAX_SUMMARY_TOKENS",
    "countTokens",
    "validateContextSummary",
  ]);
  assert.deepStrictEqual(Object.keys(require("ckpt/utils.cjs")), [
    "readFile",
    "writeFile",
    "ensureDir",
    "getGitRoot",
    "getStateDir",
    "logError",
  ]);
});

test("the ES module has the same as the CommonJS module", async () => {
  const { default: all, ...names } = await import("ckpt");
  assert.strictEqual(all, require("ckpt"));
  assert.deepStrictEqual(Object.keys(names).sort(), Object.keys(all).sort());
  for (const name of Object.keys(names)) assert.strictEqual(names[name], all[name]);
});
