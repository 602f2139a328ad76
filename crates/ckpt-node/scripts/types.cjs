// Writes the types of the package: what the engine says of its formats and of its commands. With --check it only says
// whether those that are there are the ones it would write.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { camel, methods } = require("../lib/commands.cjs");
const { open } = require("../lib/engine.cjs");

const TYPES = path.join(__dirname, "..", "types");
const FORMATS = ["command", "output"];

const HEAD = `// Made by scripts/types.cjs from what the engine says of its commands.
import type { Output } from "./output";

/** What a command prints with --json. */
type Report<Name extends keyof Output> = Output[Name] & { format: 1 };
`;

/** The declarations of what commands print. */
const outputs = open().schema("output", { format: "typescript" }).text;

function main() {
  const stale = [];
  for (const [name, text] of files()) {
    const file = path.join(TYPES, name);
    const present = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
    if (present === text) continue;
    if (process.argv.includes("--check")) stale.push(name);
    else fs.writeFileSync(file, text);
  }
  if (stale.length > 0) {
    console.error(`types/ is out of date (${stale.join(", ")}): node scripts/types.cjs`);
    process.exitCode = 1;
  }
}

function files() {
  const engine = open();
  const formats = FORMATS.map((kind) => [`${kind}.d.ts`, engine.schema(kind, { format: "typescript" }).text]);
  return [...formats, ["engine.d.ts", declarations()]];
}

function declarations() {
  const tree = {};
  for (const method of methods()) {
    let holder = tree;
    for (const part of method.place.slice(0, -1)) holder = holder[part] ??= {};
    holder[method.place.at(-1)] = method;
  }
  const commands = members(tree, "  ", (report) => report);
  const promised = members(tree, "  ", (report) => `Promise<${report}>`);
  return `${HEAD}
/** Every command of the engine. */
export interface Commands {
${commands}  /** Run a command as it would be typed, and return the JSON that it prints: every digit of it. */
  call(typed: string[], options?: { input?: string }): string;
}

/** Every command of the engine, carried out on another thread. */
export interface PromisedCommands {
${promised}  /** Run a command as it would be typed, and return the JSON that it prints: every digit of it. */
  call(typed: string[], options?: { input?: string }): Promise<string>;
}

/** A workspace: the state of one repository, or of a directory outside any. */
export interface Workspace extends Commands {
  /** The same on other threads. */
  promises: PromisedCommands;
  /** Where the checkpoints of commands lie. */
  getStateDir(): string;
}
`;
}

function members(tree, indent, result) {
  let text = "";
  for (const [name, member] of Object.entries(tree)) {
    if (member.path) {
      text += `${indent}/** ${member.about}. */\n`;
      // A member of an interface that is called new would be a constructor.
      const written = name === "new" ? '"new"' : name;
      text += `${indent}${written}(${parameters(member, indent)}): ${result(reports(member))};\n`;
    } else {
      text += `${indent}${name}: {\n${members(member, `${indent}  `, result)}${indent}};\n`;
    }
  }
  return text;
}

/** What a command prints may depend on its options. */
function reports({ path: words }) {
  const name = words.join(" ");
  const names = [...outputs.matchAll(/^  "?([a-z][^":]*)"?: \w+;$/gm)].map((match) => match[1]);
  const own = names.filter((output) => output === name || output.startsWith(`${name} --`));
  return `Report<${own.map((output) => `"${output}"`).join(" | ") || "never"}>`;
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
