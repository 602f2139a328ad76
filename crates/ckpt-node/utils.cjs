// The helpers that the authors of commands and hooks use: files, the root of the repository, and error messages.
//
// Nothing here throws. A failure is reported in one line through console.error.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const native = require("./lib/native.cjs");
const { variables } = require("./lib/surroundings.cjs");
const { reason, tell } = require("./lib/telling.cjs");

/**
 * Read a text file.
 * @param {string} filePath - Its path
 * @returns {string | null} Its content; null if it does not exist or cannot be read
 */
function readFile(filePath) {
  return quietly(`read ${filePath}`, null, () => fs.readFileSync(filePath, "utf8"));
}

/**
 * Write a text file: all of it, or nothing. Its directory is created if it does not exist.
 * @param {string} filePath - Its path
 * @param {string} content - The text
 * @returns {boolean} True if it was written
 */
function writeFile(filePath, content) {
  return quietly(`write ${filePath}`, false, () => {
    fs.mkdirSync(path.dirname(filePath), { recursive: true });
    const temporary = path.join(path.dirname(filePath), `.${path.basename(filePath)}.${process.pid}.new`);
    fs.writeFileSync(temporary, content, { flush: true });
    try {
      fs.renameSync(temporary, filePath);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
    return true;
  });
}

/**
 * Create a directory and those above it, if they do not exist.
 * @param {string} directory - Its path
 * @returns {boolean} True if it exists now
 */
function ensureDir(directory) {
  return quietly(`create ${directory}`, false, () => {
    fs.mkdirSync(directory, { recursive: true });
    return true;
  });
}

/**
 * The root of the git repository that the working directory belongs to. `GIT_ROOT` names another one.
 * @returns {string | null} Its path; null outside git
 */
function getGitRoot() {
  const named = process.env.GIT_ROOT || null;
  return quietly("find the git root", named, () => native.gitRoot(process.cwd(), variables()).value ?? named);
}

/**
 * The directory of command checkpoints: `.claude/state` in the root of the repository, or in the working directory
 * outside git.
 * @returns {string} Its path. It may not exist yet.
 */
function getStateDir() {
  const otherwise = path.join(process.cwd(), ".claude", "state");
  return quietly("find the state directory", otherwise, () => {
    return native.stateDirectory(process.cwd(), variables()).value ?? otherwise;
  });
}

/**
 * Report an error in one line on standard error.
 * @param {string} message - What went wrong
 * @param {unknown} [error] - Why
 */
function logError(message, error) {
  tell(error === undefined || error === null ? String(message) : `${message}: ${reason(error)}`);
}

/** Runs a function. If it throws, reports why and returns `otherwise`. A file that does not exist is no error. */
function quietly(doing, otherwise, work) {
  try {
    return work();
  } catch (error) {
    if (error?.code !== "ENOENT") tell(`Failed to ${doing}: ${reason(error)}`);
    return otherwise;
  }
}

module.exports = { readFile, writeFile, ensureDir, getGitRoot, getStateDir, logError };
