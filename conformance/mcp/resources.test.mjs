// Resources, subscriptions, prompts and roots, with the official client.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { call, ckpt, connect, makePipeline, makePlan, makeRepository, planFile, refused, repository, until } from "./setup.mjs";

const PROMPTS = ["resume", "start", "design", "reconcile", "research", "implement", "ship", "review"];

// A client that notes the address of every resource it is told about.
async function watching(repo, uris) {
  const told = [];
  const onClient = (client) =>
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
  const client = await connect(repo, { onClient });
  for (const uri of uris) await client.subscribeResource({ uri });
  return { client, told, hears: (uri) => until(() => told.includes(uri), `news of ${uri}`) };
}

// Rewrites the plan as an editor does that puts a new file in its place.
function edit(repo, plan, from, to) {
  const file = planFile(repo, plan);
  fs.writeFileSync(`${file}.new`, fs.readFileSync(file, "utf8").replace(from, to));
  fs.renameSync(`${file}.new`, file);
}

test("Each checkpoint is a resource beside resume and status, and all of them can be read", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "implement", "auth");
  makePipeline(repo);
  const plan = makePlan(repo, ["One"]);
  const client = await connect(repo);
  const { resources } = await client.listResources();
  assert.deepEqual(resources.map((resource) => resource.uri).sort(), [
    "ckpt://command/implement/auth",
    "ckpt://pipeline/PRD-001",
    `ckpt://plan/${plan}`,
    "ckpt://resume",
    "ckpt://status",
  ]);
  for (const { uri, mimeType } of resources) {
    const [content] = (await client.readResource({ uri })).contents;
    assert.equal(content.uri, uri);
    assert.equal(content.mimeType, mimeType);
    if (mimeType === "application/json") JSON.parse(content.text);
  }
});

test("A checkpoint can be read by its key alone", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "implement", "auth");
  makePipeline(repo);
  const plan = makePlan(repo, ["One"]);
  const client = await connect(repo);
  for (const key of ["implement/auth", "PRD-001", plan]) {
    const [content] = (await client.readResource({ uri: `ckpt://${key}` })).contents;
    assert.match(JSON.parse(content.text).key, new RegExp(`${key}$`));
  }
});

test("Every listed resource can be read, whatever its name is", async (t) => {
  const repo = repository(t);
  for (const feature of ["a b", "100%", "ünï", "what#now", "a%20b"]) ckpt(repo, "start", "implement", feature, "--new");
  const client = await connect(repo);
  const { resources } = await client.listResources();
  assert.equal(new Set(resources.map((resource) => resource.uri)).size, 7, "each has an address of its own");
  for (const { uri, name } of resources.slice(2)) {
    const [content] = (await client.readResource({ uri })).contents;
    assert.equal(JSON.parse(content.text).key, `command:${name}`, uri);
  }
});

test("The template of checkpoints is listed", async (t) => {
  const client = await connect(repository(t));
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.deepEqual(resourceTemplates.map((each) => each.uriTemplate), ["ckpt://{+key}"]);
});

test("A resource that does not exist is an error that names it, and no path leads out of the state", async (t) => {
  const repo = repository(t);
  const client = await connect(repo);
  for (const uri of ["ckpt://nope", "ckpt://../README", "ckpt:///etc/hostname", "ckpt://%2e%2e/README", "file:///etc/hostname"]) {
    const name = decodeURIComponent(uri).split("/").pop();
    await assert.rejects(client.readResource({ uri }), (error) => error.code === -32002 && error.message.includes(name), uri);
  }
});

test("A change by another process reaches the subscriber", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "implement", "auth");
  const uris = ["ckpt://resume", "ckpt://status", "ckpt://implement/auth", "ckpt://command/implement/auth"];
  const { hears } = await watching(repo, uris);
  ckpt(repo, "phase", "implement/auth", "implementation", "complete");
  for (const uri of uris) await hears(uri);
});

test("An edit of plan.md reaches the subscriber, also of an editor that replaces the file, time and again", async (t) => {
  const repo = repository(t);
  const plan = makePlan(repo, ["One", "Two", "Three"]);
  const uri = `ckpt://${plan}`;
  const { client, told, hears } = await watching(repo, [uri, "ckpt://resume"]);
  for (const [i, task] of ["One", "Two", "Three"].entries()) {
    told.length = 0;
    edit(repo, plan, `[ ] ${task}`, `[x] ${task}`);
    await hears(uri);
    await hears("ckpt://resume");
    const [content] = (await client.readResource({ uri })).contents;
    assert.equal(JSON.parse(content.text).document.progress.completedTasks, i + 1);
  }
});

test("A checkpoint can be subscribed to before it exists", async (t) => {
  const repo = repository(t);
  const { hears } = await watching(repo, ["ckpt://implement/auth", "ckpt://resume"]);
  ckpt(repo, "start", "implement", "auth");
  await hears("ckpt://implement/auth");
  await hears("ckpt://resume");
});

test("A change by the client's own call reaches it too", async (t) => {
  const repo = repository(t);
  const { client, hears } = await watching(repo, ["ckpt://resume"]);
  await call(client, "start", { command: "ship" });
  await hears("ckpt://resume");
});

test("Two subscriptions to one resource give no news twice, and one unsubscribe ends them", async (t) => {
  const repo = repository(t);
  ckpt(repo, "start", "ship");
  const { client, told, hears } = await watching(repo, ["ckpt://ship", "ckpt://ship", "ckpt://status"]);
  ckpt(repo, "phase", "ship", "pre-flight", "complete");
  await hears("ckpt://ship");
  await hears("ckpt://status");
  await client.unsubscribeResource({ uri: "ckpt://ship" });
  assert.equal(told.filter((uri) => uri === "ckpt://ship").length, 1);
  told.length = 0;
  ckpt(repo, "phase", "ship", "commit", "complete");
  await hears("ckpt://status");
  ckpt(repo, "phase", "ship", "push", "complete");
  await until(() => told.filter((uri) => uri === "ckpt://status").length > 1, "more news of ckpt://status");
  assert.ok(!told.includes("ckpt://ship"));
});

test("A resource that is not of this server cannot be subscribed to", async (t) => {
  const client = await connect(repository(t));
  await assert.rejects(client.subscribeResource({ uri: "file:///etc/hostname" }), /file:\/\/\/etc\/hostname/);
});

test("The eight prompts are listed, and each takes what the user typed", async (t) => {
  const client = await connect(repository(t));
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((prompt) => prompt.name).sort(), [...PROMPTS].sort());
  for (const { name } of prompts) {
    const { messages } = await client.getPrompt({ name, arguments: { arguments: "the-thing $1 --resume" } });
    assert.equal(messages[0].role, "user");
    assert.ok(messages[0].content.text.includes("the-thing $1 --resume"), name);
    assert.ok((await client.getPrompt({ name })).messages.length > 0, name);
  }
});

test("An unknown prompt is the protocol error -32602", async (t) => {
  const client = await connect(repository(t));
  await assert.rejects(client.getPrompt({ name: "nope" }), { code: -32602, message: /nope/ });
});

const STATE = path.join(".claude", "state", "ship-checkpoint.json");

test("The server works in the root of the client, and follows when it changes", async (t) => {
  const repo = repository(t);
  const [first, second] = ["first root", "second %20 ü"].map((name) => path.join(repo.top, name));
  for (const dir of [first, second]) makeRepository(repo, dir);
  const roots = [first];
  const client = await connect(repo, { roots });
  await call(client, "start", { command: "ship" });
  assert.ok(fs.existsSync(path.join(first, STATE)));
  roots[0] = second;
  await client.sendRootsListChanged();
  await until(async () => (await call(client, "status")).checkpoints.length === 0, "the server to follow");
  await call(client, "start", { command: "ship" });
  assert.ok(fs.existsSync(path.join(second, STATE)));
  assert.ok(!fs.existsSync(path.join(repo.dir, STATE)));
});

test("A subscription follows the root of the client", async (t) => {
  const repo = repository(t);
  const second = { ...repo, dir: path.join(repo.top, "second") };
  makeRepository(repo, second.dir);
  const roots = [repo.dir];
  const told = [];
  const onClient = (client) =>
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
  const client = await connect(repo, { roots, onClient });
  ckpt(second, "start", "implement");
  await client.subscribeResource({ uri: "ckpt://resume" });
  roots[0] = second.dir;
  await client.sendRootsListChanged();
  await until(async () => (await call(client, "status")).checkpoints.length === 1, "the server to follow");
  told.length = 0;
  ckpt(second, "start", "ship");
  await until(() => told.includes("ckpt://resume"), "news of ckpt://resume in the new root");
});

test("With -C the server works in that directory, whatever the roots are", async (t) => {
  const repo = repository(t);
  const other = path.join(repo.top, "other");
  makeRepository(repo, other);
  const client = await connect(repo, { args: ["-C", other, "mcp"], roots: [repo.dir] });
  await call(client, "start", { command: "ship" });
  assert.ok(fs.existsSync(path.join(other, STATE)));
  assert.ok(!fs.existsSync(path.join(repo.dir, STATE)));
});

test("A root that does not exist is an error that names it, and nothing is written elsewhere", async (t) => {
  const repo = repository(t);
  const client = await connect(repo, { roots: [path.join(repo.top, "missing")] });
  const result = await client.callTool({ name: "start", arguments: { command: "ship" } });
  assert.ok(!fs.existsSync(path.join(repo.dir, STATE)), "it wrote in the directory where the server was started");
  assert.ok(result.isError);
  assert.match(result.content[0].text, /missing/);
});

test("When the repository disappears, calls are errors that name it; when it is back, they work again", async (t) => {
  const repo = repository(t);
  const client = await connect(repo);
  await call(client, "start", { command: "ship" });
  await client.subscribeResource({ uri: "ckpt://resume" });
  fs.rmSync(repo.dir, { recursive: true });
  const said = await refused(client, "status");
  await refused(client, "start", { command: "implement" });
  assert.ok(!fs.existsSync(repo.dir));
  assert.ok(said.includes(repo.dir), said);
  makeRepository(repo, repo.dir);
  await call(client, "start", { command: "implement" });
});
