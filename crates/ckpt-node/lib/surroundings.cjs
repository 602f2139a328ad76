// The environment variables of a call.
"use strict";

const { isMainThread } = require("node:worker_threads");

/**
 * The current variables in the form that the engine expects: names and values in turn.
 * @returns {string[]} Names and values.
 */
function snapshot() {
  const variables = [];
  for (const [name, value] of Object.entries(process.env)) {
    if (typeof value === "string") variables.push(name, value);
  }
  return variables;
}

/**
 * The variables for a synchronous call. On the main thread they are those of the process, which the engine reads
 * itself. A worker has its own, and so does code that has replaced `process.env`.
 * @returns {string[] | undefined} `undefined` for those of the process.
 */
function variables() {
  return isMainThread && isOwn(process.env) ? undefined : snapshot();
}

/** The object that was last found to be the process's own. */
let own;

/** Whether an object is Node's own `process.env`. Only that one refuses accessor properties. */
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
