// What the tests share: a repository and a home of their own, clients, and a bare connection for what no client sends.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const HERE = path.dirname(fileURLToPath(import.meta.url));
export const CKPT = path.resolve(process.env.CKPT ?? path.join(HERE, "..", "..", "target", "debug", "ckpt"));
export const MODERN = "2026-07-28";
const LONGEST_MS = 30_000;
const ME = { name: "conformance", version: "1" };

// A new git repository with one commit, and an empty home beside it. After the test, what was begun in it is ended, the
// last first, and both are removed.
export function repository(t) {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "ckpt-mcp-")));
  const repo = { top, dir: path.join(top, "repo"), home: path.join(top, "home"), ends: [] };
  t.after(async () => {
    const outcomes = [];
    for (const end of repo.ends.reverse()) outcomes.push(...(await Promise.allSettled([end()])));
    fs.rmSync(top, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed) throw failed.reason;
  });
  fs.mkdirSync(repo.home);
  makeRepository(repo, repo.dir);
  return repo;
}

export function makeRepository(repo, dir) {
  git(repo, repo.top, "init", "--quiet", dir);
  fs.writeFileSync(path.join(dir, "README"), "A project.\n");
  git(repo, dir, "add", ".");
  git(repo, dir, "commit", "--quiet", "-m", "First");
}

export function git(repo, dir, ...words) {
  return execFileSync("git", words, { cwd: dir, env: environment(repo), encoding: "utf8" });
}

// Nothing of the user's own environment but what programs need to run.
export function environment(repo) {
  const who = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.org" };
  return {
    PATH: process.env.PATH,
    HOME: repo.home,
    TMPDIR: os.tmpdir(),
    GIT_CONFIG_NOSYSTEM: "1",
    ...who,
    GIT_COMMITTER_NAME: who.GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: who.GIT_AUTHOR_EMAIL,
  };
}

// Runs the program itself, as another process beside the server would.
export function ckpt(repo, ...words) {
  return execFileSync(CKPT, words, { cwd: repo.dir, env: environment(repo), encoding: "utf8" });
}

// Runs a program with something on its standard input, and gives its exit code and what it printed.
export function run(repo, program, words, input = "") {
  return new Promise((resolve) => {
    const options = { cwd: repo.dir, env: environment(repo), timeout: LONGEST_MS, maxBuffer: 1 << 26 };
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr });
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

// A client of the eras with `initialize`. `roots` are the directories that it shows to the server.
export async function connect(repo, { args = ["mcp"], cwd = repo.dir, roots, onClient = () => {} } = {}) {
  const client = new Client(ME, { capabilities: roots ? { roots: { listChanged: true } } : {} });
  if (roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((dir) => ({ uri: pathToFileURL(dir).href })),
    }));
  }
  onClient(client);
  const transport = new StdioClientTransport({ command: CKPT, args, cwd, env: environment(repo), stderr: "ignore" });
  return connected(repo, client, transport);
}

// A client of the stateless era.
export async function connectModern(repo, { args = ["mcp"], cwd = repo.dir, mode = { pin: MODERN } } = {}) {
  const client = new ModernClient(ME, { versionNegotiation: { mode } });
  const transport = new ModernTransport({ command: CKPT, args, cwd, env: environment(repo), stderr: "ignore" });
  return connected(repo, client, transport);
}

// Everything on standard output that is not protocol is an error of the transport, and fails the test at its end.
async function connected(repo, client, transport) {
  const errors = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(transport);
  await client.listTools(); // From now on the client validates what tools return.
  repo.ends.push(async () => {
    await client.close();
    if (errors.length) throw new AggregateError(errors, `the client met: ${errors.map(String).join("; ")}`);
  });
  return client;
}

// A bare connection: sends any line, keeps every line that comes back. `ask` gives the answer to a request.
export function bare(repo, { args = ["mcp"], cwd = repo.dir } = {}) {
  const child = spawn(CKPT, args, { cwd, env: environment(repo), stdio: ["pipe", "pipe", "pipe"] });
  const messages = [];
  let rest = "";
  let stderr = "";
  let asked = 0;
  child.stdin.on("error", () => {});
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    messages.push(...lines.map((line) => JSON.parse(line)));
  });
  const exited = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, rest, stderr })));
  repo.ends.push(() => {
    child.kill("SIGKILL");
    return exited;
  });
  const write = (line) => child.stdin.write(line + "\n");
  const send = (message) => write(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const answer = (id) => until(() => messages.find((message) => message.id === id && !message.method), `answer ${id}`);
  const ask = (method, params) => {
    asked += 1;
    send({ id: asked, method, params });
    return answer(asked);
  };
  const initialize = async (version = "2025-11-25") => {
    const said = await ask("initialize", { protocolVersion: version, capabilities: {}, clientInfo: ME });
    send({ method: "notifications/initialized" });
    return said;
  };
  return { child, messages, exited, write, send, answer, ask, initialize };
}

// What every request of the stateless era carries.
export function modernMeta(more = {}) {
  return {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": ME,
    "io.modelcontextprotocol/clientCapabilities": {},
    ...more,
  };
}

// Waits until something holds. The limit is only there so that a failure ends.
export async function until(holds, what) {
  const end = Date.now() + LONGEST_MS;
  for (;;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited in vain for: ${what}`);
    await pause(20);
  }
}

// Everything below a directory: each file with the hash of its content.
export function contents(dir) {
  const found = {};
  for (const entry of fs.readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    found[path.relative(dir, file)] = entry.isFile() ? hash(file) : "not a file";
  }
  return found;
}

function hash(file) {
  return crypto.createHash("sha256").update(fs.readFileSync(file)).digest("hex");
}

// Makes a plan with these tasks, and gives its id. The ids of the tasks are made from their texts.
export function makePlan(repo, tasks) {
  const notes = path.join(repo.top, "notes.md");
  fs.writeFileSync(notes, `# Work\n\n## Build\n${tasks.map((text) => `- [ ] ${text}\n`).join("")}`);
  const file = ckpt(repo, "plan", "new", "Work", "--from", notes).trim();
  return path.basename(path.dirname(file));
}

export const planFile = (repo, plan) => path.join(repo.dir, "plans", plan, "plan.md");
export const planState = (repo, plan) =>
  JSON.parse(fs.readFileSync(path.join(repo.dir, "plans", plan, ".checkpoint", "state.json"), "utf8"));

// Makes the pipeline PRD-001: WS1 with the gate `tests`, and WS2 that waits for it.
export function makePipeline(repo, command = "true") {
  const spec = path.join(repo.dir, "spec.md");
  const lines = [
    "prd: PRD-001",
    "workstreams:",
    "  WS1: { name: Data, gate: tests }",
    "  WS2: { name: Pages, depends_on: [WS1] }",
    "gates:",
    `  tests: { command: ${JSON.stringify(command)} }`,
  ];
  fs.writeFileSync(spec, `---\n${lines.join("\n")}\n---\n`);
  ckpt(repo, "pipeline", "init", "spec.md");
  ckpt(repo, "pipeline", "review", "PRD-001", "ship");
}

// A gate whose command writes its process id to a file and then waits. It is ended after the test.
export function longGate(repo) {
  const file = path.join(repo.top, "pid");
  let pid = 0;
  repo.ends.push(() => pid && isRunning(pid) && process.kill(pid, "SIGKILL"));
  return {
    command: `sleep 1000 & echo $! > '${file}'; wait`,
    started: () => until(() => fs.existsSync(file) && (pid = Number(fs.readFileSync(file, "utf8"))), "the gate to start"),
    ended: () => until(() => !isRunning(pid), "the gate's program to end"),
  };
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

// Calls a tool that must succeed, and gives its structured output.
export async function call(client, name, input = {}) {
  const result = await client.callTool({ name, arguments: input });
  assert.ok(!result.isError, `${name} ${JSON.stringify(input)}: ${textOf(result)}`);
  return result.structuredContent;
}

// Calls a tool that must fail, and gives the text of the error.
export async function refused(client, name, input = {}) {
  const result = await client.callTool({ name, arguments: input });
  assert.ok(result.isError, `${name} ${JSON.stringify(input)} succeeded: ${textOf(result)}`);
  return textOf(result);
}

export const textOf = (result) => result.content.map((part) => part.text ?? "").join("\n");
