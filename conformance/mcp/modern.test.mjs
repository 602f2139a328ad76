// The stateless era, 2026-07-28, with the official client of that era.
import assert from "node:assert/strict";
import test from "node:test";
import { bare, call, ckpt, connectModern, longGate, makePipeline, makePlan, MODERN, modernMeta, refused, repository, until } from "./setup.mjs";

test("A client that asks first finds the stateless era", async (t) => {
  const client = await connectModern(repository(t), { mode: "auto" });
  assert.equal(client.getNegotiatedProtocolVersion(), MODERN);
});

test("The server tells its name, its versions, its capabilities and its instructions without a handshake", async (t) => {
  const client = await connectModern(repository(t));
  const told = await client.discover();
  assert.ok(told.supportedVersions.includes(MODERN));
  assert.ok(told.capabilities.tools && told.capabilities.prompts && told.capabilities.resources.subscribe);
  assert.match(told.instructions, /resume/);
  assert.equal(client.getServerVersion().name, "ckpt");
});

test("Tools give validated output in the stateless era", async (t) => {
  const repo = repository(t);
  const plan = makePlan(repo, ["One"]);
  makePipeline(repo);
  const client = await connectModern(repo);
  assert.equal((await client.listTools()).tools.length, 10);
  await call(client, "resume");
  await call(client, "start", { command: "ship" });
  await call(client, "phase", { key: "ship", phase: "commit", status: "complete" });
  assert.equal((await call(client, "plan", { action: "done", tasks: ["one"], plan })).done, 1);
  await call(client, "pipeline", { action: "next", id: "PRD-001" });
  assert.equal((await call(client, "gate", { action: "run", key: "ship", gate: "tests", command: "true" })).passes, true);
  await call(client, "handoff", { action: "new", key: "ship", task: "T1", phase: "write", mode: "code", instructions: "Go." });
  await call(client, "log", { key: "ship" });
  await call(client, "close", { key: "ship", abandon: "Not now." });
  assert.equal((await call(client, "status", { all: true })).checkpoints.length, 3);
  assert.match(await refused(client, "log", { key: "nope" }), /nope/);
});

test("Unknown tools, prompts and resources are the error -32602 in the stateless era", async (t) => {
  const client = await connectModern(repository(t));
  await assert.rejects(client.callTool({ name: "nope", arguments: {} }), { code: -32602, message: /nope/ });
  await assert.rejects(client.getPrompt({ name: "nope" }), { code: -32602, message: /nope/ });
  await assert.rejects(client.readResource({ uri: "ckpt://nope" }), { code: -32602, message: /nope/ });
});

test("Resources and prompts are listed and read in the stateless era", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "implement", "auth");
  const client = await connectModern(repo);
  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.uri === "ckpt://command/implement/auth"));
  for (const { uri } of resources) assert.ok((await client.readResource({ uri })).contents[0].text);
  const { prompts } = await client.listPrompts();
  assert.equal(prompts.length, 8);
  for (const { name } of prompts) assert.ok((await client.getPrompt({ name })).messages.length);
});

test("A listener hears of changes on disk until it stops listening", async (t) => {
  const repo = repository(t);
  const client = await connectModern(repo);
  const told = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.push(params.uri));
  const first = await client.listen({ resourceSubscriptions: ["ckpt://resume"] });
  const second = await client.listen({ resourceSubscriptions: ["ckpt://ship", "ckpt://status"] });
  assert.deepEqual(first.honoredFilter.resourceSubscriptions, ["ckpt://resume"]);
  ckpt(repo, "start", "ship");
  for (const uri of ["ckpt://resume", "ckpt://ship", "ckpt://status"]) await until(() => told.includes(uri), uri);
  await first.close();
  await client.listTools(); // The server has read the end of the first listener.
  told.length = 0;
  ckpt(repo, "phase", "ship", "commit", "complete");
  await until(() => told.includes("ckpt://ship") && told.includes("ckpt://status"), "news for the second listener");
  assert.ok(!told.includes("ckpt://resume"));
  await second.close();
});

test("A listener of what the server does not have is told what it will hear of", async (t) => {
  const client = await connectModern(repository(t));
  const filter = { toolsListChanged: true, resourceSubscriptions: ["file:///etc/hostname", "ckpt://resume"] };
  const { honoredFilter } = await client.listen(filter);
  assert.deepEqual(honoredFilter, { resourceSubscriptions: ["ckpt://resume"] });
});

test("Each listener's news carries its own subscription, also if two listen to one resource", async (t) => {
  const repo = repository(t);
  const server = bare(repo);
  const notifications = { resourceSubscriptions: ["ckpt://resume"] };
  for (const id of ["a", "b"]) server.send({ id, method: "subscriptions/listen", params: { _meta: modernMeta(), notifications } });
  const of = (method) =>
    server.messages
      .filter((message) => message.method === method)
      .map((message) => message.params._meta["io.modelcontextprotocol/subscriptionId"])
      .sort();
  await until(() => of("notifications/subscriptions/acknowledged").length === 2, "both acknowledgements");
  ckpt(repo, "start", "ship");
  await until(() => new Set(of("notifications/resources/updated")).size === 2, "news for both");
  assert.deepEqual([...new Set(of("notifications/resources/updated"))], ["a", "b"]);
});

test("Progress and cancellation of a gate work in the stateless era", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const client = await connectModern(repo);
  const gate = longGate(repo);
  const stop = new AbortController();
  const seen = [];
  const input = { action: "run", key: "ship", gate: "tests", command: `echo begun; ${gate.command}` };
  const options = { signal: stop.signal, onprogress: (one) => seen.push(one) };
  const ending = client.callTool({ name: "gate", arguments: input }, options);
  ending.catch(() => {});
  await until(() => seen.length > 0, "progress");
  await gate.started();
  stop.abort();
  await assert.rejects(ending);
  await gate.ended();
});

test("A request of an unknown version is the error -32022, with the versions that are known", async (t) => {
  const server = bare(repository(t));
  const _meta = modernMeta({ "io.modelcontextprotocol/protocolVersion": "1999-01-01" });
  const { error } = await server.ask("tools/list", { _meta });
  assert.equal(error.code, -32022);
  assert.equal(error.data.requested, "1999-01-01");
  assert.ok(error.data.supported.includes(MODERN));
});

test("A request without the members that the era requires is the error -32602", async (t) => {
  const server = bare(repository(t));
  const { error } = await server.ask("tools/list", { _meta: modernMeta({ "io.modelcontextprotocol/clientCapabilities": undefined }) });
  assert.equal(error.code, -32602);
  assert.match(error.message, /clientCapabilities/);
});

test("Every result of the stateless era says that it is complete", async (t) => {
  const server = bare(repository(t));
  for (const [method, params] of [
    ["server/discover", {}],
    ["tools/list", {}],
    ["tools/call", { name: "status", arguments: {} }],
    ["resources/list", {}],
    ["resources/templates/list", {}],
    ["resources/read", { uri: "ckpt://status" }],
    ["prompts/list", {}],
    ["prompts/get", { name: "ship" }],
  ]) {
    const { result } = await server.ask(method, { ...params, _meta: modernMeta() });
    assert.equal(result.resultType, "complete", method);
  }
});
