// Where a call is made: its working directory and its variables.
"use strict";

const { isMainThread } = require("node:worker_threads");

/**
 * The variables as the engine takes them: names and values in turn.
 * @returns {string[]} As they are now.
 */
function snapshot() {
  const variables = [];
  for (const [name, value] of Object.entries(process.env)) {
    if (typeof value === "string") variables.push(name, value);
  }
  return variables;
}

/**
 * The variables for a call that is over before any JavaScript runs on. On the main thread they are those of the process,
 * which the engine reads itself; a worker has its own.
 * @returns {string[] | undefined} `undefined` for those of the process.
 */
function variables() {
  return isMainThread ? undefined : snapshot();
}

module.exports = { snapshot, variables };
