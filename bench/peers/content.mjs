// What is stored: the same checkpoints, phases and tasks for every tool that can hold them.
import fs from "node:fs";
import path from "node:path";
import { must } from "./measure.mjs";

const TIME = "2026-01-29T11:45:00.000Z";
const COMMAND = "implement";

/** The name of the checkpoint that holds many phases. */
export const BIG = "big";

/** The name of one of many checkpoints. */
export const featureName = (number) => `feature-${String(number).padStart(5, "0")}`;

/** The item that is changed and loaded: neither the first nor the last. */
export const CHANGED = 7;

/** A new repository with one commit. */
export function repository(folder, env) {
  fs.mkdirSync(folder, { recursive: true });
  const git = (...words) => must({ argv: ["git", ...words], cwd: folder, env });
  git("init", "--quiet");
  git(
    "-c",
    "user.name=bench",
    "-c",
    "user.email=bench@example.com",
    "commit",
    "--quiet",
    "--allow-empty",
    "-m",
    "begin",
  );
  return { root: folder, head: git("rev-parse", "HEAD").trim() };
}

function document(feature, head, phases, current) {
  const names = Object.keys(phases);
  const having = (status) => names.filter((name) => phases[name].status === status);
  return {
    command: COMMAND,
    feature,
    version: 1,
    head_commit: head,
    started_at: "2026-01-29T10:30:00.000Z",
    updated_at: TIME,
    state: {
      current_phase: current,
      completed_phases: having("complete"),
      pending_phases: having("pending"),
    },
    phases,
  };
}

/** A checkpoint with this many phases, half of them done, each with a line about it. */
export function manyPhases(head, size) {
  const phases = {};
  for (let number = 1; number <= size; number += 1) {
    phases[`phase-${number}`] = {
      status: number % 2 ? "complete" : "pending",
      updated_at: TIME,
      context_summary: `Step ${number} of the work.`,
    };
  }
  return document(BIG, head, phases, null);
}

/** A checkpoint with four phases and 3 KB of text. */
export function ordinary(feature, head) {
  const prose =
    "The settings are read in two places, and both write the same file without a lock. One writer owns the file now; " +
    "the others send it their change. Readers stay as they are and never wait. Still to do: the second caller, and a " +
    "test that ends the process between the write and the rename. ";
  const summary = prose.repeat(3).trim();
  return document(
    feature,
    head,
    {
      research: { status: "complete", started_at: TIME, updated_at: TIME, context_summary: summary },
      design: {
        status: "complete",
        started_at: TIME,
        updated_at: TIME,
        context_summary: summary,
        files_created: ["docs/settings.md"],
      },
      build: {
        status: "in_progress",
        started_at: TIME,
        updated_at: TIME,
        context_summary: "Begun.",
        files_modified: ["src/main.rs"],
      },
      validation: { status: "pending" },
    },
    "build",
  );
}

/** Writes checkpoints to the folder where ckpt and the seeds' approach keep them. */
export function writeCheckpoints(root, documents) {
  const folder = path.join(root, ".claude", "state");
  fs.mkdirSync(folder, { recursive: true });
  for (const document of documents) {
    fs.writeFileSync(path.join(folder, fileName(document.feature)), `${JSON.stringify(document, null, 2)}\n`);
  }
}

export const fileName = (feature) => `${COMMAND}-${feature}.json`;

/** A checkpoint as it is stored now, or null if it cannot be read. */
export function stored(root, feature) {
  try {
    return JSON.parse(fs.readFileSync(path.join(root, ".claude", "state", fileName(feature)), "utf8"));
  } catch {
    return null;
  }
}

/** The phases of a checkpoint that are complete, and what else there is to say about it. */
export function completed(root, feature) {
  const found = stored(root, feature);
  if (!found) return { marks: [], note: "the file can no longer be read" };
  return { marks: Object.keys(found.phases).filter((name) => found.phases[name].status === "complete") };
}

/** @returns {Generator<object>} This many checkpoints of 3 KB. */
export function* manyOrdinary(head, size) {
  for (let number = 1; number <= size; number += 1) yield ordinary(featureName(number), head);
}

/** The statuses of a phase in turn, so that every update changes something. */
export const statusOf = (update) => (update % 2 ? "in_progress" : "complete");

/** A line about the work that is always of the same length. */
export const step = (number) => `Step ${String(number).padStart(3, "0")} is done.`;

/** What a writer adds or ticks. Every update of every writer has its own. */
export const mark = (writer, update) => `w${writer}-${update}`;

export function* marks(writers, updates) {
  for (let writer = 1; writer <= writers; writer += 1) {
    for (let update = 1; update <= updates; update += 1) yield mark(writer, update);
  }
}

/** The number of bytes in these files and folders. Those that do not exist have none. */
export function bytes(...places) {
  let sum = 0;
  for (const place of places) {
    const found = fs.statSync(place, { throwIfNoEntry: false });
    if (!found) continue;
    sum += found.isDirectory() ? bytes(...fs.readdirSync(place).map((name) => path.join(place, name))) : found.size;
  }
  return sum;
}
