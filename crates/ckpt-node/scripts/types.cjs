// Writes the types of the package from the engine's description of its formats and commands.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { camel, methods } = require("../lib/commands.cjs");
const { open } = require("../lib/engine.cjs");

const TYPES = path.join(__dirname, "..", "types");

const workspace = open();
const checkpoint = workspace.schema("command", { format: "typescript" }).text;
const reports = workspace.schema("output", { format: "typescript" }).text;

function main() {
  fs.mkdirSync(TYPES, { recursive: true });
  fs.writeFileSync(path.join(TYPES, "checkpoint.d.ts"), checkpoint);
  fs.writeFileSync(path.join(TYPES, "reports.d.ts"), reports);
  fs.writeFileSync(path.join(TYPES, "workspace.d.ts"), declarations());
}

function declarations() {
  const tree = {};
  for (const method of methods()) {
    let holder = tree;
    for (const part of method.place.slice(0, -1)) holder = holder[part] ??= {};
    holder[method.place.at(-1)] = method;
  }
  return `import type { Output } from "./reports";

/** What a command prints with --json. */
type Report<Name extends keyof Output> = Output[Name] & { format: 1 };

/** The same functions, returning promises. */
type Promised<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Promise<Result>
    : Promised<Functions[Name]>;
};

/** Every command of the engine. */
export interface Commands {
${members(tree, "  ")}  /** Run a command given as the words to type, and return the JSON that it prints, digit for digit. */
  call(typed: string[], options?: { input?: string }): string;
}

/** Every command of the engine, run on another thread. */
export type PromisedCommands = Promised<Commands>;

/** A workspace: the state of one repository, or of a directory outside any. */
export interface Workspace extends Commands {
  /** The same commands, run on another thread. */
  promises: PromisedCommands;
  /** The directory of command checkpoints. */
  getStateDir(): string;
}
`;
}

function members(tree, indent) {
  let text = "";
  for (const [name, member] of Object.entries(tree)) {
    if (member.path) {
      text += `${indent}/** ${member.about}. */\n`;
      // An unquoted member named new would declare a constructor.
      const written = name === "new" ? '"new"' : name;
      text += `${indent}${written}(${parameters(member, indent)}): ${report(member)};\n`;
    } else {
      text += `${indent}${name}: {\n${members(member, `${indent}  `)}${indent}};\n`;
    }
  }
  return text;
}

/** The type of a command's report. It may depend on the options. */
function report({ path: words }) {
  const name = words.join(" ");
  const names = [...reports.matchAll(/^  "?([a-z][^":]*)"?: \w+;$/gm)].map((match) => match[1]);
  const own = names.filter((output) => output === name || output.startsWith(`${name} --`));
  if (own.length === 0) throw new Error(`the schema does not describe the output of ${name}`);
  return `Report<${own.map((output) => `"${output}"`).join(" | ")}>`;
}

function parameters({ positionals, options, reading }, indent) {
  const list = positionals.map((argument) => {
    const one = argument.values.length > 0 ? argument.values.map((value) => `"${value}"`).join(" | ") : "string";
    const type = argument.taking === "one" ? one : `${one} | ${one}[]`;
    return { name: camel(argument.name), type, optional: argument.optional };
  });
  if (reading) list.splice(reading.position, 0, { name: reading.name, type: "string | object", optional: false });
  const isNeeded = options.some(({ optional }) => !optional);
  // An optional parameter can be omitted only if no required one follows.
  const lastNeeded = isNeeded ? list.length : list.findLastIndex(({ optional }) => !optional);
  const written = list.map(({ name, type, optional }, at) => {
    if (!optional) return `${name}: ${type}`;
    return at > lastNeeded ? `${name}?: ${type} | null` : `${name}: ${type} | null | undefined`;
  });
  if (options.length > 0) {
    const inner = options.map((option) => {
      const about = `${indent}    /** ${option.about.replace(/\.$/, "")}. */\n`;
      return `${about}${indent}    ${camel(option.name)}${option.optional ? "?" : ""}: ${optionType(option)};\n`;
    });
    written.push(`options${isNeeded ? "" : "?"}: {\n${inner.join("")}${indent}  }`);
  }
  return written.join(", ");
}

function optionType({ taking, values, name }) {
  if (taking === "nothing") return "boolean";
  if (name === "data") return "string | object";
  const one = values.length > 0 ? values.map((value) => `"${value}"`).join(" | ") : "string | number";
  return taking === "one" ? one : `${one} | (${one})[]`;
}

main();
