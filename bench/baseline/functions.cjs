// Calls functions of the Node package, or what they are compared with, many times. Prints the cost of one call, in the
// launcher's format, and then the result of the last call:
//
//   WALL_NANOSECONDS CPU_MICROSECONDS PEAK_RSS_KIB EXIT_CODE
//
// usage: node functions.cjs FUNCTION PACKAGE REPOSITORY
"use strict";

const { execSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const [verb, directory, repository] = process.argv.slice(2);
process.chdir(repository);

const COMMAND = "implement";
const FEATURE = "bench";

/** The longest summary that is allowed. */
const SUMMARY = Array.from({ length: 500 }, (_, at) => `word${at % 97}`).join(" ");

/** Loads a checkpoint, and asks git for the root and for HEAD, as scripts do. */
function reference() {
  const git = (words) => execSync(`git ${words}`, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  const file = path.join(git("rev-parse --show-toplevel"), ".claude", "state", `${COMMAND}-${FEATURE}.json`);
  if (!fs.existsSync(file)) return null;
  const checkpoint = JSON.parse(fs.readFileSync(file, "utf8"));
  const head = git("rev-parse HEAD");
  if (checkpoint.head_commit && checkpoint.head_commit !== head) console.error("Checkpoint is stale");
  return checkpoint;
}

function bare() {
  return JSON.parse(fs.readFileSync(path.join(".claude", "state", `${COMMAND}-${FEATURE}.json`), "utf8"));
}

const ours = () => require(directory);
const FUNCTIONS = {
  load: [2000, () => ours().loadCheckpoint(COMMAND, FEATURE).command],
  "load-bare": [2000, () => bare().command],
  "load-reference": [3, () => reference().command],
  update: [20, (call) => ours().updatePhase(COMMAND, "implementation", { status: "in_progress", context_summary: `Step ${call} is done.` }, FEATURE)],
  tokens: [5000, () => ours().countTokens(SUMMARY)],
  "tokens-split": [5000, () => SUMMARY.split(/\s+/).filter(Boolean).length],
};

const [calls, work] = FUNCTIONS[verb];
let result;
// Warm up: both sides are compiled and have read their files before anything is measured.
for (let call = 0; call < Math.max(3, calls / 2); call += 1) result = work(call);
const cpuBefore = process.cpuUsage();
const begin = process.hrtime.bigint();
for (let call = 0; call < calls; call += 1) result = work(`${process.pid}-${call}`);
const wall = process.hrtime.bigint() - begin;
const { user, system } = process.cpuUsage(cpuBefore);
const { maxRSS } = process.resourceUsage();
console.log(`${wall / BigInt(calls)} ${Math.max(1, Math.round((user + system) / calls))} ${maxRSS} 0 result ${result}`);
