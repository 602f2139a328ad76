// Child processes with a time limit. Whatever this program started is ended when it ends, by its exact id.

import { execFile, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';

const alive = new Set();

/** A program that runs in the background, with its output in a file. */
export class Child {
  constructor({ program, args, cwd, env, output, limit, typed = false }) {
    this.output = output;
    this.#limit = limit;
    const sink = fs.openSync(output, 'w');
    // Without somebody who types, standard input is empty.
    this.#process = spawn(program, args, { cwd, env, stdio: [typed ? 'pipe' : 'ignore', sink, sink] });
    // What is typed after the end is lost.
    this.#process.stdin?.on('error', () => {});
    fs.closeSync(sink);
    alive.add(this);
    this.ended = new Promise((resolve) => {
      this.#process.once('error', (error) => resolve({ error: error.message }));
      this.#process.once('exit', (code, signal) => resolve({ code, signal }));
    }).finally(() => alive.delete(this));
  }

  #process;
  #limit;

  get pid() {
    return this.#process.pid;
  }

  type(keys) {
    this.#process.stdin.write(keys);
  }

  /** How it ended; a program that takes longer than its limit is killed. */
  async end() {
    const ending = await within(this.#limit, this.ended);
    if (ending) return ending;
    this.kill();
    await this.ended;
    return { error: `not done after ${this.#limit / 1000} s` };
  }

  /** Kills it and everything that it started, at once, as a crash would. */
  kill() {
    // The id of a process that has ended may belong to somebody else by now.
    if (this.pid === undefined || !alive.has(this)) return;
    signalAll([this.pid, ...descendants(this.pid)], 'SIGKILL');
  }
}

/** Sends a signal to processes, by their ids. */
export function signalAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** The ids of the processes that a process started, directly or not. */
function descendants(root) {
  const rows = processTable('pid=,ppid=').map((row) => row.split(/\s+/).map(Number));
  const found = [root];
  for (const parent of found) {
    found.push(...rows.filter(([, ppid]) => ppid === parent).map(([pid]) => pid));
  }
  return found.slice(1);
}

/** The ids of the processes whose program is in a folder. */
export function processesFrom(folder) {
  const rows = processTable('pid=,args=').map((row) => row.match(/^(\d+)\s+(.*)$/));
  return rows.filter((row) => row?.[2].startsWith(`${folder}/`)).map(([, pid]) => Number(pid));
}

const processTable = (columns) =>
  spawnSync('ps', ['-A', '-ww', '-o', columns], { encoding: 'utf8', maxBuffer: 1 << 26 })
    .stdout.trim()
    .split('\n')
    .map((row) => row.trim());

/** Ends every child that is still running. */
export function endAll() {
  for (const child of alive) child.kill();
}

/** The result of a promise, or undefined if it takes longer than the limit in milliseconds. */
export async function within(limit, promise) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, limit)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Waits until a condition holds; false if it does not within the limit in milliseconds. */
export async function until(condition, limit = 5000) {
  const end = Date.now() + limit;
  while (!condition()) {
    if (Date.now() > end) return false;
    await pause(50);
  }
  return true;
}

const execute = promisify(execFile);

/** Runs a program to its end: `{ code, stdout, stderr }`. */
export async function run(program, args, options) {
  try {
    return { code: 0, ...(await execute(program, args, { timeout: 30_000, maxBuffer: 1 << 26, ...options })) };
  } catch (error) {
    if (typeof error.code !== 'number') throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}
