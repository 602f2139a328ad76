// What no proper client sends: the server answers, goes on, and never crashes.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { bare, ckpt, longGate, makePlan, modernMeta, planState, repository } from "./setup.mjs";

const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const tool = (name, input) => ["tools/call", { name, arguments: input }];

async function start(server, gate) {
  const [method, params] = tool("gate", { action: "run", key: "ship", gate: "tests", command: gate.command });
  server.send({ id: "gate", method, params });
  await gate.started();
}

for (const version of VERSIONS) {
  test(`A client of ${version} is answered in that version`, async (t) => {
    const server = bare(repository(t));
    assert.equal((await server.initialize(version)).result.protocolVersion, version);
    assert.equal((await server.ask("tools/list", {})).result.tools.length, 10);
  });
}

test("A client of an unknown version is offered the newest one that has a handshake", async (t) => {
  const server = bare(repository(t));
  assert.equal((await server.initialize("1999-01-01")).result.protocolVersion, "2025-11-25");
});

test("When standard input closes, the server exits with 0, at whatever point", async (t) => {
  const repo = repository(t);
  const before = bare(repo);
  const after = bare(repo);
  await after.initialize();
  const modern = bare(repo);
  await modern.ask("tools/list", { _meta: modernMeta() });
  for (const [when, server] of Object.entries({ after, modern, before })) {
    server.child.stdin.end();
    const { code, rest } = await server.exited;
    assert.equal(code, 0, when);
    assert.equal(rest, "", when);
  }
});

test("When standard input closes while a gate runs, the server exits with 0 and the gate's program ends", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const server = bare(repo);
  await server.initialize();
  const gate = longGate(repo);
  await start(server, gate);
  server.child.stdin.end();
  assert.equal((await server.exited).code, 0);
  await gate.ended();
});

test("When the server is told to end while a gate runs, the gate's program ends too", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const server = bare(repo);
  await server.initialize();
  const gate = longGate(repo);
  await start(server, gate);
  server.child.kill("SIGTERM");
  await server.exited;
  await gate.ended();
});

test("When nobody reads standard output any more, the server ends without a panic", async (t) => {
  const server = bare(repository(t));
  await server.initialize();
  server.child.stdout.destroy();
  for (let i = 0; i < 10; i += 1) server.send({ id: `late${i}`, method: "tools/list" });
  server.child.stdin.end();
  const { signal, stderr } = await server.exited;
  assert.equal(signal, null);
  assert.doesNotMatch(stderr, /panic/);
});

test("A line that is not JSON is answered with the error -32700", async (t) => {
  const server = bare(repository(t));
  await server.initialize();
  server.write("not JSON");
  await server.ask("ping");
  assert.equal(server.messages.find((message) => message.error)?.error.code, -32700);
});

// What is sent as a request with an id; the codes that its answer may have. A request that can be recognised is always answered.
const REQUESTS = {
  "a call without parameters": ['"method":"tools/call"', [-32602]],
  "a call whose name is a number": ['"method":"tools/call","params":{"name":5}', [-32602]],
  "a call whose arguments are a list": ['"method":"tools/call","params":{"name":"status","arguments":[]}', [-32602]],
  "a call whose parameters are a list": ['"method":"tools/call","params":[]', [-32600, -32602]],
  "a call whose _meta is a number": ['"method":"tools/list","params":{"_meta":5}', [-32600, -32602]],
  "a read without an address": ['"method":"resources/read"', [-32602]],
  "a prompt argument that is a number": ['"method":"prompts/get","params":{"name":"ship","arguments":{"arguments":5}}', [-32602]],
  "an unknown method": ['"method":"nope/nope"', [-32601]],
};

for (const [what, [members, codes]] of Object.entries(REQUESTS)) {
  test(`The server answers ${what} with the error ${codes.join(" or ")}, and goes on`, async (t) => {
    const server = bare(repository(t));
    await server.initialize();
    server.write(`{"jsonrpc":"2.0","id":"odd",${members}}`);
    assert.ok((await server.ask("ping")).result);
    const answer = await server.answer("odd");
    assert.ok(codes.includes(answer.error?.code), JSON.stringify(answer));
  });
}

test("Half of a surrogate pair, as a JavaScript client sends it, is answered", async (t) => {
  const repo = repository(t);
  makePlan(repo, ["One"]);
  const server = bare(repo);
  await server.initialize();
  assert.ok(await server.ask(...tool("plan", { action: "note", text: "cut \ud83d" })));
});

test("Deeply nested arguments are answered", async (t) => {
  const server = bare(repository(t));
  await server.initialize();
  const deep = "[".repeat(5000) + "]".repeat(5000);
  server.write(`{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"status","arguments":{"all":${deep}}}}`);
  assert.ok(await server.answer("deep"));
});

test("A note of ten million characters is kept whole or refused", async (t) => {
  const repo = repository(t);
  const plan = makePlan(repo, ["One"]);
  const server = bare(repo);
  await server.initialize();
  const { result } = await server.ask(...tool("plan", { action: "note", text: "x".repeat(10_000_000) }));
  if (!result.isError) assert.equal(planState(repo, plan).sessionNotes.match(/x+/)[0].length, 10_000_000);
});

test("A message beyond every limit is answered with an error, and the server goes on", async (t) => {
  const repo = repository(t);
  makePlan(repo, ["One"]);
  const server = bare(repo);
  await server.initialize();
  const said = await server.ask(...tool("plan", { action: "note", text: "x".repeat(70_000_000) }));
  assert.ok(said.error || said.result.isError);
  assert.ok((await server.ask("ping")).result);
});

test("A call that is sent as a notification does nothing and is not answered", async (t) => {
  const repo = repository(t);
  const server = bare(repo);
  await server.initialize();
  server.send({ method: "tools/call", params: { name: "start", arguments: { command: "ship" } } });
  await server.ask("ping");
  assert.equal(server.messages.length, 2);
  assert.ok(!fs.existsSync(path.join(repo.dir, ".claude")));
});

test("Three thousand calls are all answered, and leave no open files behind", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const server = bare(repo);
  await server.initialize();
  const files = () => (fs.existsSync("/proc/self/fd") ? fs.readdirSync(`/proc/${server.child.pid}/fd`).length : 0);
  const batch = (size) => Promise.all(Array.from({ length: size }, () => server.ask(...tool("status", {}))));
  await batch(100);
  const before = files();
  for (let i = 0; i < 29; i += 1) assert.ok((await batch(100)).every((answer) => !answer.result.isError));
  assert.ok(files() <= before + 5, `${before} open files before, ${files()} after`);
});

test("A request that was cancelled before it was known, and one cancelled twice, disturb nothing", async (t) => {
  const server = bare(repository(t));
  await server.initialize();
  for (const requestId of [99, 99, "never", null, { odd: true }]) server.send({ method: "notifications/cancelled", params: { requestId } });
  assert.ok((await server.ask("ping")).result);
});

test("Nothing is written outside the state for names that lead elsewhere", async (t) => {
  const repo = repository(t);
  const server = bare(repo);
  await server.initialize();
  for (const command of ["../../x", "/x", "..\\x", "x/../../../y", "~/x"]) await server.ask(...tool("start", { command, new: true }));
  await server.ask(...tool("plan", { action: "next", plan: "../../home" }));
  await server.ask(...tool("pipeline", { action: "next", id: "../../../x" }));
  assert.deepEqual(fs.readdirSync(repo.top).sort(), ["home", "repo"]);
  assert.deepEqual(fs.readdirSync(repo.dir).sort(), [".claude", ".git", "README"].filter((name) => fs.existsSync(path.join(repo.dir, name))));
});
