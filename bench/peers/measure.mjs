// Runs programs and measures what they cost. A command is { argv, cwd, env }, and its program is an absolute path.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** No program may take longer than this, so that a run always ends. */
const LONGEST_MS = 300_000;

/** Anything that asks the kernel to put data on the disk. */
const SYNCS = ["fsync", "fdatasync", "sync", "syncfs", "msync", "sync_file_range"];

/**
 * Runs a program to its end.
 * @returns {{code: number, stdout: string, stderr: string}}
 */
export function run({ argv, cwd, env, input }) {
  const { status, signal, stdout, stderr, error } = spawnSync(argv[0], argv.slice(1), {
    cwd,
    env,
    input: input ?? "",
    encoding: "utf8",
    timeout: LONGEST_MS,
    maxBuffer: 1 << 30,
  });
  if (error && status === null && !signal) throw error;
  return { code: status ?? 128, stdout: stdout ?? "", stderr: stderr ?? "" };
}

/** Runs a program that must succeed, and returns what it printed. */
export function must(command) {
  const { code, stdout, stderr } = run(command);
  if (code !== 0)
    throw new Error(`${command.argv.join(" ").slice(0, 200)}: exit code ${code}\n${(stderr || stdout).slice(-2000)}`);
  return stdout;
}

/**
 * What a program that must succeed prints to a file. Not every tool waits until a pipe has taken all of its output.
 * @returns {string}
 */
export function printed({ argv, cwd, env }, folder) {
  const place = path.join(folder, "printed");
  const out = fs.openSync(place, "w");
  try {
    const { status, stderr } = spawnSync(argv[0], argv.slice(1), {
      cwd,
      env,
      stdio: ["ignore", out, "pipe"],
      encoding: "utf8",
      timeout: LONGEST_MS,
    });
    if (status !== 0)
      throw new Error(`${argv.join(" ").slice(0, 200)}: exit code ${status}\n${(stderr ?? "").slice(-2000)}`);
  } finally {
    fs.closeSync(out);
  }
  return fs.readFileSync(place, "utf8");
}

/** Builds the launcher of the other benchmarks, which measures one process alone. */
export function launcher(source, folder, env) {
  const built = path.join(folder, "launch");
  const { code, stderr } = run({ argv: ["cc", "-O2", "-o", built, source], env });
  if (code !== 0) throw new Error(`cannot build the launcher; a C compiler (cc) is needed\n${stderr}`);
  return built;
}

/**
 * The cost of a whole command, from its start to its end, with everything that it started and waited for.
 * @returns {{wall: number, cpu: number, rss: number}} Milliseconds, milliseconds and MiB.
 */
export function cost(launch, command) {
  const printed = must({ ...command, argv: [launch, ...command.argv] });
  return parsed(printed, command);
}

/** The cost of a call within a running process, which measures itself and prints the result like the launcher. */
export function innerCost(command) {
  return parsed(must(command), command);
}

function parsed(printed, command) {
  const [wall, cpu, rss, code] = printed.split("\n", 1)[0].split(" ").map(Number);
  if (code !== 0) throw new Error(`${command.argv.join(" ").slice(0, 200)}: exit code ${code} while it was measured`);
  return { wall: wall / 1e6, cpu: cpu / 1e3, rss: rss / 1024 };
}

/** @returns {number | null} How often a command asks for data to be put on the disk; null if strace is missing. */
export function syncs(command, folder) {
  const log = path.join(folder, "strace");
  const argv = ["strace", "-f", "-o", log, "-e", `trace=${SYNCS.join(",")}`, ...command.argv];
  try {
    if (run({ ...command, argv }).code !== 0) return null;
    const calls = new RegExp(`\\b(?:${SYNCS.join("|")})\\(`);
    return fs
      .readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => calls.test(line)).length;
  } catch {
    return null;
  }
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Lets writers work at the same time. Each prints `ready`, waits for a line, and then prints the exit code of each of
 * its updates on a line of its own.
 * @returns {Promise<{codes: number[][], wall: number}>} The codes of each writer, and milliseconds for all of them.
 */
export async function together(commands) {
  const writers = commands.map(({ argv, cwd, env }) => {
    const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: ["pipe", "pipe", "ignore"], timeout: LONGEST_MS });
    const writer = { child, printed: "" };
    writer.ended = new Promise((resolve) => child.on("close", resolve).on("error", resolve));
    writer.ready = new Promise((resolve) => {
      child.stdout.setEncoding("utf8").on("data", (text) => {
        writer.printed += text;
        if (writer.printed.startsWith("ready\n")) resolve();
      });
      writer.ended.then(resolve);
    });
    child.stdin.on("error", () => {});
    return writer;
  });
  await Promise.all(writers.map(({ ready }) => ready));
  const begin = process.hrtime.bigint();
  for (const { child } of writers) child.stdin.end("go\n");
  await Promise.all(writers.map(({ ended }) => ended));
  const wall = Number(process.hrtime.bigint() - begin) / 1e6;
  const codes = writers.map(({ printed }) => printed.split("\n").slice(1).filter(Boolean).map(Number));
  return { codes, wall };
}

/** A writer for `together` that runs these commands one after the other, in a shell. */
export function inTurn(commands) {
  const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;
  const lines = commands.map(({ argv }) => `${argv.map(quoted).join(" ")} </dev/null >/dev/null 2>&1; echo $?`);
  const { cwd, env } = commands[0];
  return { argv: ["/bin/sh", "-c", ["echo ready", "read -r go", ...lines].join("\n")], cwd, env };
}
