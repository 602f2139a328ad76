// Runs every row of the conformance suite, and compares the outcome with docs/conformance.md.
//
//   node conformance/run.cjs               all rows; fails if one does not come out as it says, or the page is out of date
//   node conformance/run.cjs --update      also writes the page
//   node conformance/run.cjs --blank       all rows against programs that do nothing: each must fail
//   node conformance/run.cjs 2.01 3.117    only the rows whose numbers begin like this, with what they print
//
// CKPT names the program to try (target/debug/ckpt), CKPT_NODE the package (crates/ckpt-node).
"use strict";

const { execFileSync, spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { parsed } = require("./rows.cjs");
const { page } = require("./page.cjs");

const HERE = __dirname;
const ROOT = path.join(HERE, "..");
const PAGE = path.join(ROOT, "docs", "conformance.md");
const ROWS = path.join(HERE, "rows");
const LONGEST_MS = 60_000;

async function main() {
  const words = process.argv.slice(2);
  const asked = words.filter((word) => !word.startsWith("--"));
  const isBlank = words.includes("--blank");
  const all = fs.readdirSync(ROWS).sort().flatMap((file) => parsed(path.join(ROWS, file)));
  refuseRepeated(all);
  const rows = all.filter((row) => asked.length === 0 || asked.some((start) => row.number.startsWith(start)));
  if (rows.length === 0) throw new Error(`no row begins with ${asked.join(" or ")}`);

  const world = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-"));
  try {
    const programs = isBlank ? blankPrograms(world) : realPrograms(world);
    const outcomes = await played(rows, world, programs);
    const wrong = isBlank ? rows.filter((row) => outcomes.get(row).passed) : unexpected(rows, outcomes);
    for (const row of wrong) console.error(complaint(row, outcomes.get(row), isBlank));
    if (asked.length > 0 && wrong.length === 0) rows.forEach((row) => console.log(outcomes.get(row).output.trimEnd()));
    if (!isBlank && asked.length === 0) renew(page(rows), words.includes("--update"));
    console.log(`${rows.length} rows, ${wrong.length} not as expected`);
    if (wrong.length > 0) process.exitCode = 1;
  } finally {
    fs.rmSync(world, { recursive: true, force: true });
  }
}

function refuseRepeated(rows) {
  const seen = new Map();
  for (const row of rows) {
    const first = seen.get(row.number);
    if (first) throw new Error(`${row.place}: row ${row.number} is already at ${first.place}`);
    seen.set(row.number, row);
  }
}

/** The rows that do not come out as they say. */
function unexpected(rows, outcomes) {
  return rows.filter((row) => outcomes.get(row).passed !== (row.result !== "not yet"));
}

function complaint(row, outcome, isBlank) {
  const what = isBlank
    ? "passes although nothing is tried: it has no check that can fail"
    : outcome.passed
      ? "is said not to hold yet, and does: change its result"
      : `does not come out as it says (${row.result})`;
  return `${row.place}: row ${row.number} ${what}\n  ${row.statement}\n${outcome.output.replace(/^/gm, "    ").trimEnd()}\n`;
}

/** The programs under test, in a directory for the PATH. */
function realPrograms(world) {
  const bin = path.join(world, "bin");
  fs.mkdirSync(bin);
  const program = path.resolve(process.env.CKPT ?? path.join(ROOT, "target", "debug", "ckpt"));
  fs.accessSync(program, fs.constants.X_OK);
  fs.symlinkSync(program, path.join(bin, "ckpt"));
  return { bin, node: path.resolve(process.env.CKPT_NODE ?? path.join(ROOT, "crates", "ckpt-node")) };
}

/** Programs that succeed, print nothing and change nothing. */
function blankPrograms(world) {
  const bin = path.join(world, "bin");
  const node = path.join(world, "node");
  fs.mkdirSync(bin);
  fs.mkdirSync(node);
  fs.writeFileSync(path.join(bin, "ckpt"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  for (const name of ["index.cjs", "checkpoint-manager.cjs", "token-counter.cjs", "utils.cjs"]) {
    const nothing = "const nothing = () => undefined;\nmodule.exports = new Proxy({}, { get: () => nothing });\n";
    fs.writeFileSync(path.join(node, name), nothing);
  }
  return { bin, node };
}

/** Plays rows, a few at a time. */
async function played(rows, world, programs) {
  const template = path.join(world, "template");
  fs.mkdirSync(template);
  const environment = surroundings(world, programs);
  execFileSync("bash", ["-c", 'git init --quiet --initial-branch=main && echo "# Project" > README.md && git add . && git commit --quiet -m "First commit"'], { cwd: template, env: environment });
  const outcomes = new Map();
  const waiting = [...rows];
  const work = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      outcomes.set(row, await play(row, world, template, environment));
    }
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, work));
  return outcomes;
}

function surroundings(world, programs) {
  return {
    PATH: `${programs.bin}:${path.dirname(process.execPath)}:${process.env.PATH}`,
    CKPT_NODE: programs.node,
    EXAMPLES: path.join(HERE, "examples"),
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CEILING_DIRECTORIES: world,
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
    CKPT_HOOK_DEADLINE_MS: "60000",
  };
}

/** Plays one row in a repository of its own. */
async function play(row, world, template, environment) {
  const place = fs.mkdtempSync(path.join(world, `row-${row.number}-`));
  const repository = path.join(place, "repository");
  fs.cpSync(template, repository, { recursive: true });
  const home = path.join(place, "home");
  fs.mkdirSync(home);
  const script = `set -euo pipefail\nsource "${HERE}/words.sh"\n${row.script}`;
  const child = spawn("bash", ["-c", script], {
    cwd: repository,
    env: { ...environment, HOME: home, XDG_CONFIG_HOME: path.join(home, ".config"), WORLD: place },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    timeout: LONGEST_MS,
  });
  let output = "";
  const add = (chunk) => (output += chunk);
  child.stdout.setEncoding("utf8").on("data", add);
  child.stderr.setEncoding("utf8").on("data", add);
  const code = await new Promise((resolve) => child.on("exit", resolve));
  endAll(child.pid);
  fs.rmSync(place, { recursive: true, force: true });
  return { passed: code === 0, output };
}

/** Ends what a row left running. */
function endAll(group) {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** Compares the page, or writes it. */
function renew(text, isUpdate) {
  const current = fs.existsSync(PAGE) ? fs.readFileSync(PAGE, "utf8") : "";
  if (current === text) return;
  if (isUpdate) {
    fs.writeFileSync(PAGE, text);
    return;
  }
  console.error("docs/conformance.md is out of date: run `node conformance/run.cjs --update`, and read what changed");
  process.exitCode = 1;
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
