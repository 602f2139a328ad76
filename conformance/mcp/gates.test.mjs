// Gates: verdicts, runs, progress, and how a run ends early.
import assert from "node:assert/strict";
import test from "node:test";
import { call, ckpt, CKPT, connect, longGate, makePipeline, repository, run } from "./setup.mjs";

const RUN = { action: "run", key: "ship", gate: "tests" };
const CHECK = { action: "check", key: "ship" };

// Starts a gate that does not end on its own.
async function running(repo, client, options) {
  const gate = longGate(repo);
  const ending = client.callTool({ name: "gate", arguments: { ...RUN, command: gate.command } }, undefined, options);
  ending.catch(() => {});
  await gate.started();
  return { ...gate, ending };
}

test("A gate passes for a client exactly when it passes on the command line", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  const same = async (step) => {
    const { code } = await run(repo, CKPT, ["gate", "check", "ship"]);
    const { passes, reasons } = await call(client, "gate", CHECK);
    assert.equal(passes, code === 0, `${step}: exit code ${code}, reasons: ${reasons.join("; ")}`);
  };
  await same("no approval");
  ckpt(repo, "gate", "set", "ship", "--allow");
  await same("approved");
  await call(client, "gate", { ...RUN, command: "false" });
  await same("a failed run");
});

test("What blocks a gate is given as a reason", async (t) => {
  const repo = repository(t);
  makePipeline(repo, "false");
  const client = await connect(repo);
  await call(client, "pipeline", { action: "start", id: "PRD-001", workstreams: ["WS1"] });
  await call(client, "pipeline", { action: "done", id: "PRD-001", workstreams: ["WS1"] });
  const verdict = await call(client, "gate", { action: "check", key: "PRD-001" });
  assert.equal(verdict.passes, false);
  assert.match(verdict.reasons.join(), /tests/);
});

test("A gate of a pipeline is run, proves its workstream, and is listed with it", async (t) => {
  const repo = repository(t);
  makePipeline(repo);
  const client = await connect(repo);
  await call(client, "pipeline", { action: "start", id: "PRD-001", workstreams: ["WS1"] });
  await call(client, "pipeline", { action: "done", id: "PRD-001", workstreams: ["WS1"] });
  const told = await call(client, "gate", { action: "run", key: "PRD-001", gate: "tests", workstream: "WS1" });
  assert.equal(told.passes, true);
  const { passes, gates } = await call(client, "gate", { action: "check", key: "PRD-001" });
  assert.equal(passes, true);
  assert.deepEqual(gates, ["tests (WS1): proven"]);
});

test("A gate that fails does not pass, and its output and exit code are told", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  const told = await call(client, "gate", { ...RUN, command: "echo out; echo err >&2; exit 3" });
  assert.equal(told.passes, false);
  assert.match(told.reasons.join(), /3/);
  assert.match(told.output, /out/);
  assert.match(told.output, /err/);
});

test("A gate that takes longer than its timeout does not pass, and its program ends", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  const gate = longGate(repo);
  assert.equal((await call(client, "gate", { ...RUN, command: gate.command, timeout: 1 })).passes, false);
  await gate.started();
  await gate.ended();
});

test("Noise of a gate that is long and not text does not break the protocol", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  const command = "yes noise | head -c 20000000; printf '\\377\\376{\"jsonrpc\":\"2.0\"}\\nthe end\\n'";
  assert.match((await call(client, "gate", { ...RUN, command })).output, /the end\n$/);
});

test("A gate reports its progress, which only grows", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  const seen = [];
  const input = { ...RUN, command: "for i in 1 2 3; do echo step $i; sleep 1; done" };
  await client.callTool({ name: "gate", arguments: input }, undefined, { onprogress: (one) => seen.push(one) });
  assert.ok(seen.length > 0);
  assert.ok(seen.every((one, i) => i === 0 || one.progress > seen[i - 1].progress), JSON.stringify(seen));
  assert.match(seen.map((one) => one.message).join(), /step 1/);
});

test("The server answers other calls while a gate runs", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  await running(repo, client);
  assert.equal((await call(client, "status")).checkpoints.length, 1);
  await call(client, "phase", { key: "ship", phase: "pre-flight", status: "complete" });
});

test("Cancelling a gate ends its program, records the interruption, and leaves the server working", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  const stop = new AbortController();
  const gate = await running(repo, client, { signal: stop.signal });
  stop.abort();
  await assert.rejects(gate.ending);
  await gate.ended();
  assert.equal((await call(client, "gate", { ...RUN, command: "true" })).passes, true);
  const { entries } = await call(client, "log", { key: "ship" });
  assert.ok(entries.some((entry) => entry.event === "gate_interrupted"));
});

test("Cancelling one gate leaves another one running", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  const stop = new AbortController();
  const other = client.callTool({ name: "gate", arguments: { ...RUN, gate: "other", command: "sleep 3; echo whole" } });
  const gate = await running(repo, client, { signal: stop.signal });
  stop.abort();
  await gate.ended();
  assert.equal((await other).structuredContent.output, "whole\n");
});

test("When the client closes the connection, the program of a running gate ends too", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connect(repo);
  const gate = await running(repo, client);
  await client.close();
  await gate.ended();
});
