// What can be called, and under which name: the commands of the engine, as it describes them itself.
"use strict";

const native = require("./native.cjs");

/** Where commands are found that are not found under their own name. */
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

/** The commands of the terminal alone. */
const LEFT_OUT = ["completions", "man"];

/** Commands that read a document, which stands in place of the argument that names a file. */
const READING = {
  save: { position: 1, name: "document" },
  tokens: { position: 0, name: "text" },
  "handoff check": { position: 0, name: "handoff" },
  "handoff fix": { position: 0, name: "handoff" },
  "handoff reply": { position: 1, name: "handoff" },
};

/** The argument that names a file, where a document is given instead. */
const FILES = ["file", "files"];

/**
 * @typedef {object} Argument
 * @property {string} name - Its name on the command line
 * @property {string} about - What it is
 * @property {"nothing" | "one" | "many" | "rest"} taking - How much it takes
 * @property {boolean} optional - Whether it may be left out
 * @property {string[]} values - What it may be, if not anything
 *
 * @typedef {object} Method
 * @property {string[]} place - Where it is found
 * @property {string[]} path - What is typed
 * @property {string} about - What it does
 * @property {Argument[]} positionals - What it takes, in order
 * @property {Argument[]} options - What else it takes
 * @property {{position: number, name: string} | undefined} reading - The document that it reads
 */

/** @type {Method[] | undefined} */
let known;

/**
 * Every command, with the place where it is found.
 * @returns {Method[]} In the order of the command line.
 */
function methods() {
  // To have them described takes longer than most commands.
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
 * A name as JavaScript writes it.
 * @param {string} name - With dashes or underscores
 * @returns {string} In camel case.
 */
function camel(name) {
  return name.replace(/[-_]+(\w)/g, (_, letter) => letter.toUpperCase());
}

module.exports = { camel, methods };
