// The functions of a workspace and their names, derived from the engine's own description of its commands.
"use strict";

const native = require("./native.cjs");

/** Commands that have another name or place here than on the command line. */
const GROUPS = {
  start: ["command", "start"],
  phase: ["command", "phase"],
  complete: ["command", "complete"],
  abandon: ["command", "abandon"],
  save: ["command", "save"],
  show: ["command", "show"],
  gate: ["gates"],
  log: ["history", "log"],
};

/** Commands that make sense only in a terminal. */
const LEFT_OUT = ["completions", "man"];

/** Commands that read a document. Here it is passed instead of the argument that names a file. */
const READING = {
  save: { position: 1, name: "document" },
  tokens: { position: 0, name: "text" },
  "handoff check": { position: 0, name: "handoff" },
  "handoff fix": { position: 0, name: "handoff" },
  "handoff reply": { position: 1, name: "handoff" },
};

/** The names of the arguments that a document replaces. */
const FILES = ["file", "files"];

/**
 * @typedef {object} Argument
 * @property {string} name - Its name on the command line
 * @property {string} about - What it is
 * @property {"nothing" | "one" | "many" | "rest"} taking - How many values it takes
 * @property {boolean} optional - Whether it may be omitted
 * @property {string[]} values - The allowed values; empty if any value is
 *
 * @typedef {object} Method
 * @property {string[]} place - Its path in the workspace object
 * @property {string[]} path - Its words on the command line
 * @property {string} about - What it does
 * @property {Argument[]} positionals - Its arguments, in order
 * @property {Argument[]} options - Its options
 * @property {{position: number, name: string} | undefined} reading - The document that it reads
 */

/** @type {Method[] | undefined} */
let known;

/**
 * Every command, with its place in the workspace object.
 * @returns {Method[]} In the order of the command line.
 */
function methods() {
  // Describing them takes longer than most commands.
  return (known ??= described());
}

function described() {
  const commands = JSON.parse(native.commands());
  return commands
    .filter(({ path }) => !LEFT_OUT.includes(path[0]))
    .map((command) => {
      const [first, ...rest] = command.path;
      const reading = READING[command.path.join(" ")];
      const positionals = command.positionals.filter(({ name }) => !(reading && FILES.includes(name)));
      const place = [...(GROUPS[first] ?? [first]), ...rest].map(camel);
      return { ...command, positionals, reading, place };
    });
}

/**
 * A name in the style of JavaScript.
 * @param {string} name - With dashes or underscores
 * @returns {string} In camel case.
 */
function camel(name) {
  return name.replace(/[-_]+(\w)/g, (_, letter) => letter.toUpperCase());
}

module.exports = { camel, methods };
