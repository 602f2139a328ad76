// Writes the types of the package: what the engine says of its formats and of its commands.
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

/** The same functions, which return promises. */
type Promised<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Promise<Result>
    : Promised<Functions[Name]>;
};

/** Every command of the engine. */
export interface Commands {
${members(tree, "  ")}  /** Run a command as it would be typed, and return the JSON that it prints: every digit of it. */
  call(typed: string[], options?: { input?: string }): string;
}

/** Every command of the engine, carried out on another thread. */
export type PromisedCommands = Promised<Commands>;

/** A workspace: the state of one repository, or of a directory outside any. */
export interface Workspace extends Commands {
  /** The same on other threads. */
  promises: PromisedCommands;
  /** Where the checkpoints of commands lie. */
  getStateDir(): string;
}
`;
}

function members(tree, indent) {
  let text = "";
  for (const [name, member] of Object.entries(tree)) {
    if (member.path) {
      text += `${indent}/** ${member.about}. */\n`;
      // A member of an interface that is called new would be a constructor.
      const written = name === "new" ? '"new"' : name;
      text += `${indent}${written}(${parameters(member, indent)}): ${report(member)};\n`;
    } else {
      text += `${indent}${name}: {\n${members(member, `${indent}  `)}${indent}};\n`;
    }
  }
  return text;
}

/** What a command prints may depend on its options. */
function report({ path: words }) {
  const name = words.join(" ");
  const names = [...reports.matchAll(/^  "?([a-z][^":]*)"?: \w+;$/gm)].map((match) => match[1]);
  const own = names.filter((output) => output === name || output.startsWith(`${name} --`));
  if (own.length === 0) throw new Error(`nobody says what ${name} prints`);
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
  // What may be left out can only be left out where nothing must follow.
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
