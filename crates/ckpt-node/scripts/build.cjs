// Builds the addon and puts it where lib/native.cjs looks for it.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { fileName } = require("../lib/platform.cjs");

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
execFileSync("cargo", ["build", "--profile=addon", "--locked", "--package=ckpt-node"], {
  cwd: PACKAGE,
  stdio: "inherit",
});
// A copy under another name and a rename: a process that has the old one loaded keeps it.
const built = path.join(PACKAGE, fileName());
fs.copyFileSync(path.join(target, "addon", LIBRARY), `${built}.new`);
fs.renameSync(`${built}.new`, built);
