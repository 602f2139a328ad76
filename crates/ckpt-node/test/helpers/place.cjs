// Directories to test in, and ways to inspect them.
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const PACKAGE = path.join(__dirname, "..", "..");

// Keys of directories outside a repository are kept with the user's state. Keep them out of the real one.
process.env.XDG_STATE_HOME = fs.mkdtempSync(path.join(os.tmpdir(), "ckpt-node-state-"));
process.once("exit", () => fs.rmSync(process.env.XDG_STATE_HOME, { recursive: true, force: true }));

/** A directory that is removed after the test. */
function directory(t) {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "ckpt-node-")));
  t.after(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A repository with a commit, which is the working directory during the test. */
function repository(t) {
  const made = directory(t);
  const before = process.cwd();
  git(made, "init", "--quiet", "--initial-branch=main");
  commit(made);
  process.chdir(made);
  t.after(() => process.chdir(before));
  return made;
}

function git(root, ...words) {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  return execFileSync("git", [...identity, ...words], { cwd: root, encoding: "utf8" }).trim();
}

function commit(root) {
  git(root, "commit", "--quiet", "--allow-empty", "--message=commit");
}

/** The file of a checkpoint. */
function file(root, name) {
  return path.join(root, ".claude", "state", `${name}.json`);
}

/** The lines written to console.error while a function runs. */
function heard(work) {
  const lines = [];
  const before = console.error;
  console.error = (...words) => {
    assert.deepStrictEqual(words.map((word) => typeof word), ["string"], "a line is one text");
    lines.push(words[0]);
  };
  try {
    return { result: work(), lines };
  } finally {
    console.error = before;
  }
}

/** The `ckpt` command, built if needed. */
function binary() {
  if (process.env.CKPT_BINARY) return path.resolve(PACKAGE, "../..", process.env.CKPT_BINARY);
  const described = execFileSync("cargo", ["metadata", "--format-version=1", "--no-deps", "--locked"], {
    cwd: PACKAGE,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  execFileSync("cargo", ["build", "--quiet", "--locked", "--package=ckpt-cli"], { cwd: PACKAGE, stdio: "inherit" });
  const name = process.platform === "win32" ? "ckpt.exe" : "ckpt";
  return path.join(JSON.parse(described).target_directory, "debug", name);
}

module.exports = { PACKAGE, binary, commit, directory, file, git, heard, repository };
