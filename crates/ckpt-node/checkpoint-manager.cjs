// Command checkpoints: the five functions of checkpoint-manager.cjs, on top of the durable engine.
//
// Nothing here throws. A failure is reported in one line through console.error, and the function returns null, false or
// an empty resume point.
"use strict";

const native = require("./lib/native.cjs");
const { variables } = require("./lib/surroundings.cjs");
const { reason, tell } = require("./lib/telling.cjs");

/**
 * The file and text of each checkpoint when it was loaded or last saved. The engine needs them to distinguish the
 * caller's changes from those that others made meanwhile, and to restore digits that JavaScript cannot represent.
 * @type {WeakMap<object, {file: string, text: string}>}
 */
const madeFrom = new WeakMap();

/**
 * Load the checkpoint of a command.
 * @param {string} command - Command name (start|design|implement|ship|review|reconcile|research)
 * @param {string | null} [feature] - Feature name; each feature has its own checkpoint
 * @returns {import("./types/checkpoint").UnifiedCheckpoint | null} Null if there is none or it cannot be read
 */
function loadCheckpoint(command, feature = null) {
  return quietly("load checkpoint", null, () => {
    const answer = native.load(target(command, feature));
    const text = told(answer);
    if (text === null) return null;
    const checkpoint = JSON.parse(text);
    if (isObject(checkpoint)) madeFrom.set(checkpoint, { file: answer.file, text });
    return checkpoint;
  });
}

/**
 * Save the checkpoint of a command. Changes that others made since it was loaded are merged; conflicting changes are
 * refused. The object itself is not changed.
 * @param {string} command - Command name
 * @param {object} checkpoint - Checkpoint data
 * @param {string | null} [feature] - Feature name
 * @returns {boolean} True if it was saved
 */
function saveCheckpoint(command, checkpoint, feature = null) {
  return quietly("save checkpoint", false, () => {
    const origin = isObject(checkpoint) ? madeFrom.get(checkpoint) : undefined;
    const text = JSON.stringify(checkpoint) ?? "null";
    const answer = native.save(target(command, feature), text, origin);
    const saved = told(answer);
    if (saved === null) return false;
    if (isObject(checkpoint)) madeFrom.set(checkpoint, { file: answer.file, text: saved });
    return true;
  });
}

/**
 * Update a phase of a checkpoint. Creates the checkpoint if there is none.
 * @param {string} command - Command name
 * @param {string} phaseName - Phase to update
 * @param {object} phaseData - Phase data (status, context_summary, files_created, ...)
 * @param {string | null} [feature] - Feature name
 * @returns {boolean} True if it was updated
 */
function updatePhase(command, phaseName, phaseData, feature = null) {
  return quietly("update phase", false, () => {
    const text = JSON.stringify(phaseData ?? {}) ?? "null";
    return told(native.updatePhase(target(command, feature), name(phaseName), text)) !== null;
  });
}

/**
 * Mark a checkpoint as complete.
 * @param {string} command - Command name
 * @param {string | null} [feature] - Feature name
 * @returns {boolean} True if it was marked complete
 */
function completeCheckpoint(command, feature = null) {
  return quietly("complete checkpoint", false, () => {
    return told(native.complete(target(command, feature))) !== null;
  });
}

/**
 * Get the point to resume from.
 * @param {string} command - Command name
 * @param {string | null} [feature] - Feature name
 * @returns {{phase: string | null, summary: string | null}} The current phase, and the last completed one's summary
 */
function getResumePoint(command, feature = null) {
  return quietly("load checkpoint", { phase: null, summary: null }, () => {
    const text = told(native.resumePoint(target(command, feature)));
    return text === null ? { phase: null, summary: null } : JSON.parse(text);
  });
}

/** Runs a function. If it throws, reports why and returns `otherwise`. */
function quietly(doing, otherwise, work) {
  try {
    return work();
  } catch (error) {
    tell(`Failed to ${doing}: ${reason(error)}`);
    return otherwise;
  }
}

/** The value of an answer. Reports its note first. */
function told(answer) {
  if (typeof answer.note === "string") tell(answer.note);
  return answer.value ?? null;
}

function target(command, feature) {
  return {
    command: name(command),
    feature: featureName(feature),
    directory: process.cwd(),
    variables: variables(),
  };
}

/** Anything but a string becomes an empty name, which the engine rejects. */
function name(value) {
  return typeof value === "string" ? value : "";
}

function featureName(feature) {
  if (feature === null || feature === undefined || feature === "") return undefined;
  const isNamed = ["string", "number", "bigint"].includes(typeof feature);
  return isNamed ? String(feature) : "";
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}

module.exports = {
  loadCheckpoint,
  saveCheckpoint,
  updatePhase,
  completeCheckpoint,
  getResumePoint,
};
