// Puts the `ckpt` program and the licences into the package, for `npm pack`. The program is the one that CKPT_BINARY
// names, else the one that scripts/release builds. It is the real program, with no script in between: agents run hooks at
// every step.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const PACKAGE = path.join(__dirname, "..");
const PROJECT = path.join(PACKAGE, "..", "..");

/** The path of the program to pack. */
function program() {
  if (process.env.CKPT_BINARY) return path.resolve(PROJECT, process.env.CKPT_BINARY);
  const printed = execFileSync(path.join(PROJECT, "scripts", "release"), {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return path.resolve(PROJECT, printed.trim().split("\n").at(-1));
}

const packed = path.join(PACKAGE, "bin", "ckpt");
fs.mkdirSync(path.dirname(packed), { recursive: true });
fs.copyFileSync(program(), `${packed}.new`);
fs.chmodSync(`${packed}.new`, 0o755);
fs.renameSync(`${packed}.new`, packed);
for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  fs.copyFileSync(path.join(PROJECT, licence), path.join(PACKAGE, licence));
}
