// Builds the addon and puts it where lib/native.cjs looks for it. With --panicking, builds the one for the tests
// instead: it has functions that panic on purpose, is not optimized, and is placed beside the tests.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { fileName } = require("../lib/platform.cjs");

const [profile, folder, built] = process.argv.includes("--panicking")
  ? [["--features=panicking"], "debug", path.join("test", "panicking.node")]
  : [["--profile=addon"], "addon", fileName()];

const PACKAGE = path.join(__dirname, "..");
const LIBRARY = {
  darwin: "libckpt_node.dylib",
  win32: "ckpt_node.dll",
}[process.platform] ?? "libckpt_node.so";

const metadata = execFileSync("cargo", ["metadata", "--format-version=1", "--no-deps", "--locked"], {
  cwd: PACKAGE,
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
});
const target = JSON.parse(metadata).target_directory;
execFileSync("cargo", ["build", ...profile, "--locked", "--package=ckpt-node"], {
  cwd: PACKAGE,
  stdio: "inherit",
});
// Copied and then renamed, so that a process that has loaded the old addon keeps it.
const place = path.join(PACKAGE, built);
fs.copyFileSync(path.join(target, folder, LIBRARY), `${place}.new`);
fs.renameSync(`${place}.new`, place);
