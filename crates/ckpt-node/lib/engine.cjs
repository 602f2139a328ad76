// The whole engine: every command as a function that returns what `--json` prints, or throws.
"use strict";

const path = require("node:path");
const native = require("./native.cjs");
const { camel, methods } = require("./commands.cjs");
const { UsageError, errorOf } = require("./errors.cjs");
const { snapshot, variables } = require("./surroundings.cjs");

/**
 * Open the workspace that a directory belongs to.
 * @param {string} [directory] - The directory; the working directory of each call if it is left out
 * @param {{by?: string, onNote?: (note: string) => void}} [options] - Who makes changes, and who hears what is said
 *   beside results
 * @returns {import("../types/engine").Workspace} Every command as a function, and under `promises` as one that does
 *   its work on another thread.
 */
function open(directory = ".", options = {}) {
  if (typeof directory !== "string") throw misuse("the directory of a workspace is a text");
  const caller = { directory, by: options?.by, onNote: options?.onNote };
  const workspace = offering((call) => finished(call, native.run(prepared(caller, call, variables())), caller));
  workspace.promises = offering(async (call) =>
    finished(call, await native.runAsync(prepared(caller, call, snapshot())), caller),
  );
  workspace.getStateDir = () => stateDirectory(caller.directory);
  return workspace;
}

/**
 * Where the checkpoints of commands lie: `.claude/state` in the root of the repository.
 * @param {string} [directory] - A directory of the repository; the working directory if it is left out
 * @returns {string} The path of a directory, which may not be there yet.
 */
function stateDirectory(directory = ".") {
  const answer = native.stateDirectory(path.resolve(directory), variables());
  if (typeof answer.value !== "string") {
    throw errorOf({ kind: "failed", exit: 1, message: answer.note ?? "there is no state directory" });
  }
  return answer.value;
}

/** Every command under its place; `carryOut` gets what is to be typed and what is to be read. */
function offering(carryOut) {
  const offered = {};
  offered.call = (typed, { input = "" } = {}) => carryOut({ typed, input, isText: true });
  for (const method of methods()) {
    const name = method.place.at(-1);
    let holder = offered;
    for (const part of method.place.slice(0, -1)) holder = holder[part] ??= {};
    holder[name] = (...given) => carryOut(call(method, given));
  }
  return offered;
}

/** What a command is called with: the words to type, and what it reads. */
function call(method, given) {
  const { positionals, reading } = method;
  const takes = positionals.length + (reading ? 1 : 0);
  const command = method.path.join(" ");
  if (given.length > takes + 1) throw misuse(`${command} takes ${takes} arguments and its options`);
  const values = [...given];
  let input = "";
  if (reading) {
    const document = values.splice(reading.position, 1)[0];
    if (document === undefined) throw misuse(`${command} needs its ${reading.name}`);
    input = typeof document === "string" ? document : JSON.stringify(document);
    if (input === undefined) throw misuse(`the ${reading.name} of ${command} is no JSON`);
  }
  const options = isOptions(values.at(-1)) ? values.pop() : {};
  if (values.length > positionals.length) throw misuse(`the last argument of ${command} is an object with options`);
  const words = positionals.flatMap((argument, at) => wordsOf(command, argument, values[at]));
  const isLast = positionals.at(-1)?.taking === "rest";
  // Words that begin with a dash are no options.
  const typed = isLast ? behind(words, positionals, values) : ["--", ...words];
  return { typed: [...method.path, ...flags(method, options), ...typed], input };
}

/** The last argument is all that stands behind the dashes; the others stand before them. */
function behind(words, positionals, values) {
  const rest = list(values[positionals.length - 1]).length;
  const before = words.slice(0, words.length - rest);
  return [...before, "--", ...words.slice(words.length - rest)];
}

function wordsOf(command, argument, value) {
  const isMissing = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  if (isMissing) {
    if (argument.optional) return [];
    throw misuse(`${command} needs its ${argument.name}`);
  }
  if (argument.taking === "one" && Array.isArray(value)) throw misuse(`${argument.name} of ${command} is one value`);
  return list(value).map((word) => text(word, `${argument.name} of ${command}`));
}

function flags(method, options) {
  const known = new Map(method.options.map((option) => [camel(option.name), option]));
  return Object.entries(options).flatMap(([name, value]) => {
    const option = known.get(name);
    const command = method.path.join(" ");
    if (!option) {
      const names = [...known.keys()].join(", ") || "none";
      throw misuse(`${command} has no option ${name}`, `Its options: ${names}`);
    }
    if (value === undefined || value === null || value === false) return [];
    const flag = `--${option.name}`;
    if (option.taking === "nothing") return [flag];
    return list(value).map((word) => `${flag}=${text(word, `${name} of ${command}`)}`);
  });
}

function list(value) {
  return Array.isArray(value) ? value : [value];
}

/** What stands on a command line: text as it is, numbers as they are written, and documents as JSON. */
function text(value, what) {
  if (typeof value === "string") return value;
  if (["number", "bigint", "boolean"].includes(typeof value)) return String(value);
  const json = typeof value === "object" ? JSON.stringify(value) : undefined;
  if (json === undefined) throw misuse(`${what} is no text`);
  return json;
}

function isOptions(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function prepared(caller, { typed, input }, given) {
  const by = caller.by === undefined ? [] : [`--by=${caller.by}`];
  const place = ["-C", path.resolve(caller.directory)];
  return { arguments: [...place, ...by, ...typed], input, variables: given };
}

/** The report of a command; its text if that is wanted. */
function finished({ isText }, outcome, { onNote }) {
  const report = JSON.parse(outcome.output);
  if (report.error) throw errorOf(report.error);
  if (onNote) outcome.notes.forEach((note) => onNote(note));
  return isText ? outcome.output : report;
}

function misuse(message, hint = null) {
  return new UsageError({ kind: "usage", exit: 2, message, hint });
}

module.exports = { open, stateDirectory };
