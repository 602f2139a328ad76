// The whole engine: every command as a function that returns what `--json` prints, or throws.
"use strict";

const path = require("node:path");
const native = require("./native.cjs");
const { camel, methods } = require("./commands.cjs");
const { UsageError, errorOf } = require("./errors.cjs");
const { snapshot, variables } = require("./surroundings.cjs");
const { reason } = require("./telling.cjs");

/** The exit code of a command that was asked to fail if a checkpoint is stale. */
const STALE = 7;

/**
 * Open the workspace that a directory belongs to.
 * @param {string} [directory] - The directory; defaults to the working directory at the time of each call
 * @param {{by?: string, onNote?: (note: string) => void}} [options] - Who makes changes, and a function that is called
 *   with each note besides the result
 * @returns {import("../types/workspace").Workspace} Every command as a function, and under `promises` as one that runs
 *   on another thread.
 */
function open(directory = ".", options = {}) {
  if (typeof directory !== "string") throw misuse("the directory of a workspace must be a string");
  const caller = { directory, by: options?.by ?? undefined, onNote: options?.onNote ?? undefined };
  if (!["string", "undefined"].includes(typeof caller.by)) throw misuse("by must be a string");
  if (!["function", "undefined"].includes(typeof caller.onNote)) throw misuse("onNote must be a function");
  const workspace = offering((asked) => {
    const call = asked();
    return finished(call, carriedOut(() => native.run(prepared(caller, call, variables()))), caller);
  });
  // A wrong call also rejects instead of throwing, because that is where the caller handles errors.
  workspace.promises = offering(async (asked) => {
    const call = asked();
    const outcome = await native.runAsync(prepared(caller, call, snapshot())).catch(failed);
    return finished(call, outcome, caller);
  });
  workspace.getStateDir = () => stateDirectory(caller.directory);
  return workspace;
}

/**
 * The directory of command checkpoints: `.claude/state` in the root of the repository.
 * @param {string} [directory] - A directory of the repository; defaults to the working directory
 * @returns {string} Its path. It may not exist yet.
 */
function stateDirectory(directory = ".") {
  if (typeof directory !== "string") throw misuse("the directory of a workspace must be a string");
  const answer = native.stateDirectory(path.resolve(directory), variables());
  if (typeof answer.value !== "string") {
    throw errorOf({ kind: "failed", exit: 1, message: answer.note ?? "there is no state directory" });
  }
  return answer.value;
}

/** An object with every command in its place. `carryOut` gets a function that returns the words and the input. */
function offering(carryOut) {
  const offered = {};
  offered.call = (typed, options) => carryOut(() => typedCall(typed, options));
  for (const method of methods()) {
    const name = method.place.at(-1);
    let holder = offered;
    for (const part of method.place.slice(0, -1)) holder = holder[part] ??= {};
    holder[name] = (...given) => carryOut(() => call(method, given));
  }
  return offered;
}

/** A call given as the words to type. */
function typedCall(typed, options) {
  const input = options?.input ?? "";
  const isTyped = Array.isArray(typed) && typed.every((word) => typeof word === "string");
  if (!isTyped) throw misuse("the words of a command must be an array of strings");
  if (typeof input !== "string") throw misuse("the input of a command must be a string");
  return { typed, input, isText: true };
}

/** A call given as arguments and options. */
function call(method, given) {
  const { positionals, reading } = method;
  const takes = positionals.length + (reading ? 1 : 0);
  const command = method.path.join(" ");
  if (given.length > takes + 1) throw misuse(`too many arguments: ${command} takes at most ${takes}, plus its options`);
  const values = [...given];
  let input = "";
  if (reading) {
    const document = values.splice(reading.position, 1)[0];
    if (document === undefined) throw misuse(`missing argument of ${command}: ${reading.name}`);
    input = typeof document === "string" ? document : json(document, `the ${reading.name} of ${command}`);
  }
  const isLast = isOptions(values.at(-1)) || (values.length > positionals.length && isMissing(values.at(-1)));
  const options = (isLast && values.pop()) || {};
  if (values.length > positionals.length) {
    throw misuse(`the last argument of ${command} must be an object with options`);
  }
  const words = positionals.flatMap((argument, at) => wordsOf(command, argument, values[at]));
  const isRest = positionals.at(-1)?.taking === "rest";
  // `--` keeps words that begin with a dash from being read as options. It is added only if needed, because for some
  // commands it also means that optional arguments are omitted.
  const dashes = words.some((word) => word.startsWith("-")) ? ["--"] : [];
  const typed = isRest ? behind(words, positionals, values) : [...dashes, ...words];
  return { typed: [...method.path, ...flags(method, options), ...typed], input };
}

/** The words of a command whose last argument is everything after `--`. */
function behind(words, positionals, values) {
  const rest = list(values[positionals.length - 1]).length;
  const before = words.slice(0, words.length - rest);
  return [...before, "--", ...words.slice(words.length - rest)];
}

function wordsOf(command, argument, value) {
  if (isMissing(value) || (Array.isArray(value) && value.length === 0)) {
    if (argument.optional) return [];
    throw misuse(`missing argument of ${command}: ${argument.name}`);
  }
  if (argument.taking === "one" && Array.isArray(value)) {
    throw misuse(`${argument.name} of ${command} must be a single value`);
  }
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
    if (isMissing(value) || value === false) return [];
    const flag = `--${option.name}`;
    if (option.taking === "nothing") {
      if (value !== true) throw misuse(`${name} of ${command} must be true or false`);
      return [flag];
    }
    return list(value).map((word) => `${flag}=${text(word, `${name} of ${command}`)}`);
  });
}

function list(value) {
  return Array.isArray(value) ? value : [value];
}

/** A value as a word of a command line: strings unchanged, numbers and booleans as text, objects as JSON. */
function text(value, what) {
  if (typeof value === "string") return value;
  if (["number", "bigint", "boolean"].includes(typeof value)) return String(value);
  if (typeof value !== "object") throw misuse(`${what} cannot be passed as text`);
  return json(value, what);
}

function json(value, what) {
  let written;
  try {
    written = JSON.stringify(value);
  } catch (error) {
    throw misuse(`${what} cannot be written as JSON: ${reason(error)}`);
  }
  if (written === undefined) throw misuse(`${what} cannot be written as JSON`);
  return written;
}

function isMissing(value) {
  return value === undefined || value === null;
}

function isOptions(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function prepared(caller, { typed, input }, given) {
  const by = caller.by === undefined ? [] : [`--by=${caller.by}`];
  const place = ["-C", path.resolve(caller.directory)];
  return { arguments: [...place, ...by, ...typed], input, variables: given };
}

/** The report of a command, or its text if the caller wants that. Throws if the command failed. */
function finished({ isText }, outcome, { onNote }) {
  const report = JSON.parse(outcome.output);
  // The last note of a failed command repeats its error.
  const notes = report.error ? outcome.notes.slice(0, -1) : outcome.notes;
  if (onNote) notes.forEach((note) => onNote(note));
  if (report.error) throw errorOf(report.error);
  if (outcome.exit === STALE) throw staleness(report);
  return isText ? outcome.output : report;
}

/** The error for a caller that asked to fail if a checkpoint is stale. Includes the report. */
function staleness(report) {
  const { saved, current } = report.in_flight.find(({ stale }) => stale).stale;
  const message = `Checkpoint is stale (saved at ${saved.slice(0, 7)}, current HEAD is ${current.slice(0, 7)})`;
  return Object.assign(errorOf({ kind: "stale", exit: STALE, message }), { report });
}

function carriedOut(work) {
  try {
    return work();
  } catch (error) {
    return failed(error);
  }
}

/** The engine itself throws only on an internal error. */
function failed(error) {
  throw errorOf({ kind: "failed", exit: 1, message: reason(error) });
}

function misuse(message, hint = null) {
  return new UsageError({ kind: "usage", exit: 2, message, hint });
}

module.exports = { open, stateDirectory };
