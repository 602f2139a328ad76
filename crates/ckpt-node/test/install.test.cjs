// The packed package works where it is installed: the program, and every entry point.
"use strict";

const assert = require("node:assert");
const { execFileSync, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const { PACKAGE, binary, commit, directory, git } = require("./helpers/place.cjs");

/** Runs npm or npx without network and without the variables of the npm that runs the tests. */
function run(program, words, cwd, extra = {}) {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_TEST_CONTEXT$/i.test(name));
  const env = { ...Object.fromEntries(own), npm_config_offline: "true", npm_config_update_notifier: "false", ...extra };
  return execFileSync(program, words, { cwd, encoding: "utf8", env, stdio: ["ignore", "pipe", "pipe"] });
}

/** The program without its debug information, where that can be removed: packing that takes long. */
function program(place) {
  const stripped = path.join(place, "ckpt");
  const { status } = spawnSync("strip", ["-o", stripped, binary()]);
  return status === 0 ? stripped : binary();
}

test("npm pack makes a package that works elsewhere, with nothing but what it needs", (t) => {
  const place = directory(t);
  const ckpt = program(place);
  const packed = run("npm", ["pack", "--silent", "--json", `--pack-destination=${place}`], PACKAGE, {
    CKPT_BINARY: ckpt,
  });
  const [{ filename, files }] = JSON.parse(packed.slice(packed.indexOf("[\n")));
  const allowed =
    /^(ADOPTION\.md|LICENSE-(APACHE|MIT)|package\.json|bin\/ckpt|ckpt\.[a-z0-9-]+\.node|(lib|types)\/[\w.-]+|(index|checkpoint-manager|token-counter|utils)\.(cjs|mjs|d\.ts|d\.cts))$/;
  const names = files.map((file) => file.path);
  assert.deepStrictEqual(names.filter((name) => !allowed.test(name)), []);
  assert.strictEqual(names.filter((name) => name.endsWith(".node")).length, 1);

  const root = path.join(place, "project");
  fs.mkdirSync(root);
  git(root, "init", "--quiet", "--initial-branch=main");
  commit(root);
  fs.writeFileSync(path.join(root, "package.json"), '{ "name": "project", "private": true }\n');
  run("npm", ["install", "--silent", "--no-audit", "--no-fund", path.join(place, filename)], root);
  const installed = path.join(root, "node_modules", "ckpt");
  assert.ok(!fs.lstatSync(installed).isSymbolicLink(), "it is a copy");

  // npm links to the program itself, so no Node starts in between.
  const linked = fs.realpathSync(path.join(root, "node_modules", ".bin", "ckpt"));
  assert.strictEqual(linked, path.join(installed, "bin", "ckpt"));
  assert.deepStrictEqual(fs.readFileSync(linked), fs.readFileSync(ckpt));
  run("npx", ["--no-install", "ckpt", "start", "implement", "auth"], root);
  assert.match(run("npx", ["--no-install", "ckpt", "status"], root), /^implement\/auth /);

  const script = `
    const assert = require("node:assert");
    const { loadCheckpoint } = require("ckpt/checkpoint-manager.cjs");
    assert.strictEqual(loadCheckpoint("implement", "auth").command, "implement");
    assert.strictEqual(require("ckpt/token-counter.cjs").countTokens("two words"), 2);
    assert.strictEqual(require("ckpt/utils.cjs").getGitRoot(), process.cwd());
    assert.strictEqual(typeof require("ckpt").open, "function");
    assert.strictEqual(require("ckpt/package.json").name, "ckpt");
    import("ckpt").then((all) => assert.strictEqual(all.default, require("ckpt")));
  `;
  run(process.execPath, ["--eval", script], root);
  for (const types of ["index.d.ts", "utils.d.cts", "types"]) {
    assert.ok(fs.existsSync(path.join(installed, types)), types);
  }
});
