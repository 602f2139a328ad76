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
 * which the engine reads itself; a worker has its own, and so has whoever has put another object in their place.
 * @returns {string[] | undefined} `undefined` for those of the process.
 */
function variables() {
  return isMainThread && isOwn(process.env) ? undefined : snapshot();
}

/** The object that was last seen to be the process's own. */
let own;

/** Whether an object is where Node keeps the variables of the process: no other refuses members that are computed. */
function isOwn(env) {
  if (env === own) return true;
  const probe = Symbol("probe");
  try {
    if (Reflect.defineProperty(env, probe, { get() {}, configurable: true })) delete env[probe];
    return false;
  } catch {
    own = env;
    return true;
  }
}

module.exports = { snapshot, variables };
