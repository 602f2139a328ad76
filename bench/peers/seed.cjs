// The seeds' approach, written from their description: a checkpoint is read, changed in memory and written back as a
// whole, with no lock and no sync, and git is asked for the root and for HEAD. Errors are printed, not thrown.
//
//   node seed.cjs update COMMAND FEATURE PHASE JSON
//   node seed.cjs load COMMAND FEATURE
//   node seed.cjs list
"use strict";

const { execSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const MAX_SUMMARY_TOKENS = 500;

let root;

function git(words) {
  return execSync(`git ${words}`, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

function stateFolder() {
  // Asked once in each process, although the description allows asking every time.
  root ??= git("rev-parse --show-toplevel");
  return path.join(root, ".claude", "state");
}

function place(command, feature) {
  return path.join(stateFolder(), feature ? `${command}-${feature}.json` : `${command}-checkpoint.json`);
}

function loadCheckpoint(command, feature = null) {
  try {
    const file = place(command, feature);
    if (!fs.existsSync(file)) return null;
    let checkpoint;
    try {
      checkpoint = JSON.parse(fs.readFileSync(file, "utf8"));
    } catch (error) {
      console.error(`not a checkpoint: ${file}: ${error.message}`);
      return null;
    }
    const head = git("rev-parse HEAD");
    if (checkpoint.head_commit && checkpoint.head_commit !== head) console.error(`stale: HEAD is now ${head}`);
    return checkpoint;
  } catch (error) {
    console.error(`cannot load: ${error.message}`);
    return null;
  }
}

function isShort(summary) {
  return summary === undefined || String(summary).split(/\s+/).filter(Boolean).length <= MAX_SUMMARY_TOKENS;
}

function saveCheckpoint(command, checkpoint, feature = null) {
  try {
    const summaries = [checkpoint.state?.context_summary];
    for (const phase of Object.values(checkpoint.phases ?? {})) summaries.push(phase.context_summary);
    if (!summaries.every(isShort)) {
      console.error("a summary is too long");
      return false;
    }
    checkpoint.head_commit = git("rev-parse HEAD");
    checkpoint.updated_at = new Date().toISOString();
    fs.mkdirSync(stateFolder(), { recursive: true });
    fs.writeFileSync(place(command, feature), JSON.stringify(checkpoint, null, 2));
    return true;
  } catch (error) {
    console.error(`cannot save: ${error.message}`);
    return false;
  }
}

function updatePhase(command, name, data, feature = null) {
  const now = new Date().toISOString();
  const checkpoint = loadCheckpoint(command, feature) ?? {
    command,
    feature,
    version: 1,
    started_at: now,
    state: { current_phase: null, completed_phases: [], pending_phases: [] },
    phases: {},
  };
  const { state, phases } = checkpoint;
  phases[name] = { started_at: now, ...phases[name], ...data, updated_at: now };
  if (data.status === "in_progress") state.current_phase = name;
  if (data.status === "complete" && !state.completed_phases.includes(name)) state.completed_phases.push(name);
  if (data.status === "complete" || data.status === "failed") {
    state.pending_phases = state.pending_phases.filter((other) => other !== name);
  }
  return saveCheckpoint(command, checkpoint, feature);
}

/** The description has no list. This is what a script would do: read every file. */
function listCheckpoints() {
  const folder = stateFolder();
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), "utf8")));
}

module.exports = { loadCheckpoint, saveCheckpoint, updatePhase, listCheckpoints };

if (require.main === module) {
  const [verb, command, feature, phase, data] = process.argv.slice(2);
  if (verb === "update") {
    process.exitCode = updatePhase(command, phase, JSON.parse(data), feature) ? 0 : 1;
  } else if (verb === "load") {
    const checkpoint = loadCheckpoint(command, feature);
    if (checkpoint) console.log(JSON.stringify(checkpoint, null, 2));
    else process.exitCode = 1;
  } else if (verb === "list") {
    const lines = listCheckpoints().map(({ command, feature, state }) =>
      [command, feature, state.current_phase].join("\t"),
    );
    console.log(lines.join("\n"));
  } else {
    console.error("usage: node seed.cjs update|load|list ...");
    process.exitCode = 2;
  }
}
