// Reads the rows of a file. A row is
//
//   @ 1.012 Section
//   say: the statement, in one or two sentences
//   try: how it is run
//   holds                     or `other: why it holds in another form`, or `not yet: why`
//       the script, indented by four spaces, in bash with the words of words.sh
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const HEAD = /^@ (\d+\.\d{3}) (\S.*)$/;
const RESULT = /^(holds|other|not yet)(?:: (\S.*))?$/;

/**
 * @typedef {object} Row
 * @property {string} number - The number of the document, and of the statement in it
 * @property {string} section - The part of the document
 * @property {string} statement - What the document says
 * @property {string} run - How it is tried
 * @property {"holds" | "other" | "not yet"} result - How it comes out
 * @property {string | undefined} reason - Why it holds in another form, or not yet
 * @property {string} script - What is run
 * @property {string} place - Its file and line
 */

/**
 * The rows of a file.
 * @param {string} file - Its path
 * @returns {Row[]} In the order of the file.
 */
function parsed(file) {
  const blocks = [];
  fs.readFileSync(file, "utf8").split("\n").forEach((line, at) => {
    const head = HEAD.exec(line);
    const place = `${path.basename(file)}:${at + 1}`;
    if (head) blocks.push({ number: head[1], section: head[2], place, script: [] });
    else if (line.startsWith("#") && blocks.length === 0) return;
    else if (line !== "" || blocks.at(-1)?.script.length) take(blocks.at(-1), line, place);
  });
  return blocks.map(finished);
}

function take(block, line, place) {
  const refuse = (why) => {
    throw new Error(`${place}: ${why}: ${line}`);
  };
  if (!block) refuse("text before the first row");
  if (line === "" || line.startsWith("    ")) {
    if (!block.result) refuse("a script before the result");
    block.script.push(line.slice(4));
    return;
  }
  const result = RESULT.exec(line);
  if (line.startsWith("say: ")) block.statement = line.slice(5);
  else if (line.startsWith("try: ")) block.run = line.slice(5);
  else if (result) [, block.result, block.reason] = result;
  else refuse("neither say:, try:, a result nor a script");
}

function finished(block) {
  const script = block.script.join("\n").trim();
  const missing = [
    ["say:", block.statement],
    ["try:", block.run],
    ["a result", block.result],
    ["a script", script],
    ["a reason", block.result === "holds" || block.reason],
  ].find(([, value]) => !value);
  if (missing) throw new Error(`${block.place}: row ${block.number} has no ${missing[0].replace(/^a /, "")}`);
  return { ...block, script };
}

module.exports = { parsed };
