// The ten tools, called with the official client. It checks each output against the schema that the tool declares.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { call, ckpt, connect, contents, makePipeline, makePlan, planFile, planState, refused, repository, textOf } from "./setup.mjs";

const TOOLS = ["resume", "status", "start", "phase", "close", "plan", "pipeline", "gate", "handoff", "log"];
const RESPONSE = {
  task_id: "T7",
  phase: "write",
  status: "blocked",
  decision: "STOP",
  findings: {},
  context_summary: "The store cannot end a session.",
  issues: ["no delete in the store"],
};

test("The server lists its ten tools, each with a description, typed input and typed output", async (t) => {
  const client = await connect(repository(t));
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), [...TOOLS].sort());
  for (const tool of tools) {
    assert.ok(tool.description, tool.name);
    assert.equal(tool.inputSchema.additionalProperties, false, tool.name);
    assert.equal(tool.outputSchema.type, "object", tool.name);
  }
});

test("Exactly the tools that only read are marked as read-only, and only gate as destructive", async (t) => {
  const client = await connect(repository(t));
  const { tools } = await client.listTools();
  const names = (hint) => tools.filter((tool) => tool.annotations[hint]).map((tool) => tool.name);
  assert.deepEqual(names("readOnlyHint").sort(), ["log", "resume", "status"]);
  assert.deepEqual(names("destructiveHint"), ["gate"]);
});

test("Tools that read write nothing to disk, not even after somebody has edited the plan", async (t) => {
  const repo = repository(t);
  const plan = makePlan(repo, ["One", "Two"]);
  ckpt(repo, "start", "ship");
  fs.writeFileSync(planFile(repo, plan), fs.readFileSync(planFile(repo, plan), "utf8").replace("[ ] One", "[x] One"));
  const before = contents(repo.top);
  const client = await connect(repo);
  await call(client, "resume");
  await call(client, "resume", { key: plan });
  await call(client, "status", { all: true });
  await call(client, "log", { key: "ship" });
  await call(client, "plan", { action: "next" });
  await call(client, "gate", { action: "check", key: "ship" });
  for (const uri of ["ckpt://resume", "ckpt://status", "ckpt://ship", `ckpt://${plan}`]) await client.readResource({ uri });
  assert.deepEqual(contents(repo.top), before);
});

test("The text of a result is its structured output", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  const result = await client.callTool({ name: "status", arguments: {} });
  assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent);
});

test("A command is started, worked through and closed", async (t) => {
  const repo = repository(t);
  const client = await connect(repo);
  const started = await call(client, "start", { command: "implement", feature: "auth", phases: ["build", "test"] });
  assert.deepEqual([started.key, started.done, started.total], ["implement/auth", 0, 2]);
  assert.match(started.next, /build/);
  const key = "implement/auth";
  const built = await call(client, "phase", { key, phase: "build", status: "complete", summary: "Built.", created: ["a.rs"] });
  assert.deepEqual([built.done, built.total], [1, 2]);
  assert.match((await call(client, "resume", { key })).brief, /Built\./);
  assert.match(await refused(client, "close", { key }), /test/);
  await call(client, "phase", { key, phase: "test", status: "failed", error: "Two tests fail." });
  const file = path.join(repo.dir, ".claude", "state", "implement-auth.json");
  assert.equal(JSON.parse(fs.readFileSync(file)).phases.test.error, "Two tests fail.");
  await call(client, "phase", { key, phase: "test", status: "complete" });
  await call(client, "close", { key });
  const { checkpoints } = await call(client, "status", { all: true });
  assert.equal(checkpoints.find((each) => each.key.endsWith(key)).state, "complete");
  const { entries } = await call(client, "log", { key, limit: 2 });
  assert.equal(entries.length, 2);
  assert.equal(entries[0].event, "checkpoint_completed");
});

test("A phase with a comma, which separates phases, is refused and not cut in two", async (t) => {
  const client = await connect(repository(t));
  const message = await refused(client, "start", { command: "custom", phases: ["read, then write", "test"] });
  assert.match(message, /comma: "read, then write"/);
});

test("A command is abandoned with its reason", async (t) => {
  const repo = repository(t);
  const client = await connect(repo);
  await call(client, "start", { command: "ship" });
  assert.match((await call(client, "close", { key: "ship", abandon: "Not now." })).next, /Not now\./);
});

test("Every action of plan does what its command does", async (t) => {
  const repo = repository(t);
  const plan = makePlan(repo, ["One", "Two", "Three"]);
  const client = await connect(repo);
  const act = (action, more) => call(client, "plan", { action, plan, ...more });
  const tasks = () => planState(repo, plan).phases.build.tasks;
  assert.equal((await act("next")).open.length, 3);
  assert.equal((await act("done", { tasks: ["one", "two"] })).done, 2);
  assert.ok(tasks().one.done && tasks().two.done);
  assert.match(fs.readFileSync(planFile(repo, plan), "utf8"), /\[x\] One/);
  assert.equal((await act("undo", { tasks: ["two"] })).done, 1);
  assert.ok(!tasks().two.done);
  await act("claim", { tasks: ["two"], by: "subagent:data" });
  assert.deepEqual((await act("next")).open.map((line) => line.split(":")[0]), ["three"]);
  await act("release", { tasks: ["two"], by: "subagent:data" });
  assert.equal((await act("next")).open.length, 2);
  await act("note", { text: "--help is a note" });
  assert.match(planState(repo, plan).sessionNotes, /--help is a note/);
  await act("decide", { text: "SQLite", reason: "one writer" });
  assert.equal(planState(repo, plan).decisions[0].reason, "one writer");
  assert.match((await act("block", { text: "no database" })).next, /no database/);
  await act("unblock", { text: "no database" });
  assert.deepEqual(planState(repo, plan).blockers, []);
});

test("Every action of pipeline does what its command does", async (t) => {
  const repo = repository(t);
  makePipeline(repo);
  const client = await connect(repo);
  const act = (action, more) => call(client, "pipeline", { action, id: "PRD-001", ...more });
  const WS1 = { workstreams: ["WS1"] };
  assert.deepEqual((await act("next")).ready, ["WS1"]);
  await act("start", WS1);
  assert.deepEqual((await act("next")).running, ["WS1"]);
  assert.match((await act("fail", { ...WS1, reason: "broken" })).next, /WS1/);
  await act("fixed", WS1);
  await act("start", WS1);
  assert.equal((await act("done", { ...WS1, artifacts: ["spec.md"] })).done, 1);
  await act("defer", { workstreams: ["WS2"], reason: "later" });
  assert.match(ckpt(repo, "pipeline", "show", "PRD-001"), /WS2.*defer/i);
});

test("A handoff is made, checked and recorded", async (t) => {
  const repo = repository(t);
  const client = await connect(repo);
  await call(client, "start", { command: "implement", feature: "auth" });
  const key = "implement/auth";
  const what = { task: "T7", phase: "write", mode: "code", instructions: "Add logout.", files: ["a.rs"], constraints: ["small"] };
  const { request } = await call(client, "handoff", { action: "new", key, ...what });
  assert.equal(request.task_id, "T7");
  assert.deepEqual(await call(client, "handoff", { action: "check", text: JSON.stringify(request) }), { valid: true, findings: [] });
  const bad = await call(client, "handoff", { action: "check", text: JSON.stringify({ ...RESPONSE, decision: "MAYBE" }) });
  assert.equal(bad.valid, false);
  assert.match(bad.findings.join(), /decision/);
  const reply = await call(client, "handoff", { action: "reply", key, text: `I stop here.\n${JSON.stringify(RESPONSE)}` });
  assert.ok(reply.valid);
  const verdict = await call(client, "gate", { action: "check", key });
  assert.match(verdict.reasons.join(), /T7/);
  assert.equal(verdict.passes, false);
});

test("An unknown tool is the protocol error -32602", async (t) => {
  const client = await connect(repository(t));
  await assert.rejects(client.callTool({ name: "nope", arguments: {} }), { code: -32602, message: /nope/ });
});

// Everything but the locks, which a refused change takes too.
function documents(repo) {
  return Object.fromEntries(Object.entries(contents(repo.dir)).filter(([file]) => !file.endsWith(".lock")));
}

// What is sent; what the error must name.
const MISTAKES = [
  ["resume", { key: "nope" }, /nope.*ckpt list/],
  ["log", { key: "nope" }, /nope.*ckpt list/],
  ["close", { key: "nope" }, /nope.*ckpt list/],
  ["plan", { action: "done", tasks: ["nope"] }, /nope.*ckpt plan show/],
  ["plan", { action: "done" }, /tasks/],
  ["plan", { action: "note" }, /text/],
  ["plan", { action: "explode" }, /action.*explode.*unblock/],
  ["plan", { action: "claim", tasks: ["one"], by: "nobody" }, /nobody.*subagent:/],
  ["pipeline", { action: "next", id: "PRD-404" }, /PRD-404/],
  ["gate", { action: "run", key: "ship" }, /gate/],
  ["gate", { action: "run", key: "ship", gate: "tests" }, /command/],
  ["handoff", { action: "check", text: "nothing" }, /JSON/],
  ["phase", { key: "ship", phase: "comit", status: "complete" }, /comit.*commit/],
  ["phase", { key: "ship", phase: "commit", status: "complete", summary: "word ".repeat(501) }, /500.*Shorten/],
  ["phase", {}, /key/],
  ["phase", { key: "ship", phase: "commit", status: 5 }, /status/],
  ["log", { key: "ship", limit: "many" }, /limit/],
  ["status", { all: "yes" }, /all/],
  ["start", { command: ["ship"] }, /command/],
  ["resume", { kye: "ship" }, /kye.*key/],
];

for (const [tool, input, names] of MISTAKES) {
  const sent = JSON.stringify(input).slice(0, 80);
  test(`A mistake is a tool error that names it and changes nothing: ${tool} ${sent}`, async (t) => {
    const repo = repository(t);
    makePlan(repo, ["One"]);
    ckpt(repo, "start", "ship");
    const client = await connect(repo);
    const before = documents(repo);
    assert.match(await refused(client, tool, input), names);
    assert.deepEqual(documents(repo), before);
  });
}

test("An error about types speaks of the input and not of the program's own types", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  for (const [tool, input] of [
    ["log", { key: "ship", limit: -1 }],
    ["gate", { action: "run", key: "ship", gate: "tests", command: "true", timeout: -1 }],
  ]) {
    assert.doesNotMatch(await refused(client, tool, input), /\bu(32|64)\b/);
  }
});

test("If one of several tasks is unknown, none is ticked", async (t) => {
  const repo = repository(t);
  const plan = makePlan(repo, ["One", "Two"]);
  const client = await connect(repo);
  await refused(client, "plan", { action: "done", tasks: ["one", "nope"] });
  assert.equal(planState(repo, plan).progress.completedTasks, 0);
});

test("A value that begins with a dash is a value and never an option", async (t) => {
  const repo = repository(t);
  const client = await connect(repo);
  await call(client, "start", { command: "ship" });
  await call(client, "phase", { key: "ship", phase: "commit", status: "complete", summary: "--summary", created: ["--created"] });
  for (const value of ["--help", "--json", "-C/", "--"]) {
    const gate = { action: "run", key: "ship", gate: value, command: "true" };
    assert.match(await refused(client, "gate", gate), /is not a name/);
    const key = /is not a name|no checkpoint|valid characters/;
    assert.match(await refused(client, "gate", { ...gate, key: value, gate: "tests" }), key);
    assert.match(await refused(client, "resume", { key: value }), key);
  }
});

test("Force and abandon together are refused in the words of the tool", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  assert.doesNotMatch(await refused(client, "close", { key: "ship", abandon: "why", force: true }), /unexpected argument/);
});
