// The whole engine.
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const ckpt = require("ckpt");
const { fileName } = require("../lib/platform.cjs");
const { PACKAGE, commit, directory, repository } = require("./helpers/place.cjs");

const SPEC = `---
prd: PRD-001
workstreams:
  WS1: { name: one }
  WS2: { name: two, depends_on: [WS1] }
execution_phases:
  - { name: first, parallel: [WS1] }
  - { name: second, parallel: [WS2] }
---
`;

test("commands, from start to gate", (t) => {
  const root = repository(t);
  const { command, gates, history, resume, getStateDir } = ckpt.open();
  assert.strictEqual(command.start("ship", "v1", { phases: ["a", "b"] }).created, true);
  command.phase("ship/v1", "a", "complete", { summary: "did a", created: ["x.rs", "y.rs"], data: { n: 1 } });
  assert.match(resume("ship/v1").text, /did a/);
  assert.strictEqual(gates.check("ship/v1").verdict, "blocked");
  gates.set("ship/v1", { allow: true });
  assert.strictEqual(gates.check("ship/v1").verdict, "allowed");
  const passed = gates.run("ship/v1", "tests", ["sh", "-c", "exit 0"], { timeout: 30 });
  assert.strictEqual(passed.passed, true);
  assert.strictEqual(gates.run("ship/v1", "tests", ["sh", "-c", "exit 3"]).ending, "exit code 3");
  const { document, revision } = command.show("ship/v1");
  command.phase("ship/v1", "b", "complete");
  command.save("ship/v1", { ...document, note: "mine" }, { base: revision });
  const saved = command.show("ship/v1").document;
  assert.deepStrictEqual([saved.note, saved.phases.b.status], ["mine", "complete"]);
  command.complete("ship/v1", { force: true });
  assert.strictEqual(history.log("ship/v1", { number: 1 }).entries[0].event, "checkpoint_completed");
  assert.strictEqual(getStateDir(), path.join(root, ".claude", "state"));
});

test("a plan, a pipeline and a handoff", (t) => {
  const root = repository(t);
  const { handoff, pipeline, plan, status, tokens, validate } = ckpt.open(root, { by: "team:a" });
  fs.writeFileSync("notes.md", "# Plan\n\n## One\n\n- [ ] first\n- [ ] second\n");
  plan.new("My plan", { from: "notes.md" });
  plan.mark();
  const { next } = plan.next({ number: 2 });
  plan.done(next.map((task) => task.task));
  assert.strictEqual(plan.show().state.progress.percentage, 100);
  fs.writeFileSync("SPEC.md", SPEC);
  pipeline.init("SPEC.md");
  pipeline.start("PRD-001", "WS1");
  pipeline.done("PRD-001", "WS1", { artifact: ["src/a.rs"] });
  assert.deepStrictEqual(pipeline.resume("PRD-001", { continue: true }).completed, ["WS1"]);
  assert.ok(status().worktrees[0].checkpoints.length > 0);
  assert.strictEqual(tokens("one two three").counts[0].tokens, 3);
  assert.strictEqual(validate(["PRD-001"]).errors ?? 0, 0);
  const response = {
    task_id: "T1",
    phase: "write",
    status: "complete",
    decision: "PROCEED",
    findings: {},
    context_summary: Array(501).fill("w").join(" "),
  };
  assert.deepStrictEqual(handoff.check(response), handoff.check(JSON.stringify(response)));
  assert.ok(handoff.check(response).findings.length > 0);
});

test("what fails throws an error of its kind, with the next step", (t) => {
  const root = repository(t);
  const workspace = ckpt.open();
  const thrown = (work) => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof ckpt.CkptError && error instanceof Error, error);
      return error;
    }
    return assert.fail("it did not throw");
  };
  const missing = thrown(() => workspace.command.complete("design"));
  assert.ok(missing instanceof ckpt.NotFoundError);
  assert.deepStrictEqual(
    [missing.name, missing.kind, missing.code, missing.exit, missing.hint],
    ["NotFoundError", "not_found", "CKPT_NOT_FOUND", 3, "Nothing is called design; list all checkpoints with: ckpt list"],
  );
  workspace.command.start("design");
  assert.ok(thrown(() => workspace.command.complete("design")) instanceof ckpt.InvalidError);
  workspace.command.complete("design", { force: true });
  assert.ok(thrown(() => workspace.command.start("design")) instanceof ckpt.AlreadyCompleteError);
  assert.ok(thrown(() => workspace.command.phase("design", "a", "odd")) instanceof ckpt.UsageError);
  assert.ok(thrown(() => workspace.command.save("design", { version: 9 })) instanceof ckpt.InvalidError);
  assert.ok(thrown(() => workspace.command.save("design", undefined)) instanceof ckpt.UsageError);
  assert.match(thrown(() => workspace.plan.show({ odd: 1 })).hint, /^Its options: plan$/);
  assert.match(thrown(() => workspace.command.complete()).message, /missing argument of complete: key/);
  assert.match(thrown(() => workspace.command.complete("a", "b", "c")).message, /takes at most 1,/);
  assert.match(thrown(() => workspace.command.complete(Symbol("s"))).message, /cannot be passed as text/);
  const cyclic = {};
  cyclic.self = cyclic;
  assert.match(thrown(() => workspace.command.save("design", cyclic)).message, /^the document of save cannot be written as JSON: /);
  assert.match(thrown(() => workspace.command.phase("design", "a", "complete", { data: { n: 1n } })).message, /cannot be written as JSON/);
  assert.match(thrown(() => workspace.gates.set("design", { allow: 0 })).message, /allow of gate set must be true or false/);
  assert.match(thrown(() => workspace.command.abandon("design")).message, /not provided: --reason <TEXT>$/);
  for (const typed of ["list", undefined, ["show", 7]]) {
    assert.ok(thrown(() => workspace.call(typed)) instanceof ckpt.UsageError);
  }
  assert.ok(thrown(() => workspace.call(["tokens"], { input: 7 })) instanceof ckpt.UsageError);
  assert.ok(thrown(() => ckpt.getStateDir(7)) instanceof ckpt.UsageError);
  assert.ok(thrown(() => ckpt.open(".", { by: 7 })) instanceof ckpt.UsageError);
  assert.ok(thrown(() => workspace.call(["init"])) instanceof ckpt.UsageError);
  assert.ok(thrown(() => ckpt.open(path.join(root, "nowhere")).list()) instanceof ckpt.NotFoundError);
  assert.ok(thrown(() => ckpt.open(7)) instanceof ckpt.UsageError);
  workspace.command.start("research");
  assert.strictEqual(workspace.resume("research", { failIfStale: true }).in_flight[0].stale, null);
  commit(root);
  const stale = thrown(() => workspace.resume("research", { failIfStale: true }));
  assert.ok(stale instanceof ckpt.StaleError);
  assert.match(stale.message, /^Checkpoint is stale \(saved at [0-9a-f]{7}, current HEAD is [0-9a-f]{7}\)$/);
  assert.strictEqual(stale.report.in_flight[0].key, "command:research");
  const { head_commit: _, ...before } = workspace.command.show("design").document;
  workspace.command.phase("design", "a", "complete");
  const mine = { ...before, state: { ...before.state, current_phase: "mine" }, phases: { a: { status: "failed" } } };
  assert.ok(thrown(() => workspace.command.save("design", mine, { base: 1 })) instanceof ckpt.ConflictError);
});

test("promises reject with the same errors, and the main thread continues in the meantime", async (t) => {
  repository(t);
  const { promises } = ckpt.open();
  await assert.rejects(promises.command.complete("design"), ckpt.NotFoundError);
  await assert.rejects(promises.command.complete(), ckpt.UsageError);
  await assert.rejects(promises.call("list"), ckpt.UsageError);
  await promises.command.start("ship");
  let turns = 0;
  let over = false;
  const gate = promises.gates.run("ship", "slow", ["sh", "-c", "sleep 0.4"]).finally(() => (over = true));
  while (!over) {
    turns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.strictEqual((await gate).passed, true);
  assert.ok(turns > 10, `${turns} turns`);
});

test("a promise uses the directory and variables of the moment it was created", async (t) => {
  repository(t);
  const elsewhere = directory(t);
  const { command, promises } = ckpt.open();
  const started = promises.command.start("ship");
  process.env.GIT_ROOT = elsewhere;
  t.after(() => delete process.env.GIT_ROOT);
  await started;
  assert.throws(() => command.show("ship"), ckpt.NotFoundError);
  delete process.env.GIT_ROOT;
  assert.strictEqual(command.show("ship").key, "command:ship");
});

test("arguments that begin with a dash are not options", (t) => {
  repository(t);
  const workspace = ckpt.open();
  workspace.command.phase("design", "--phase", "complete", { summary: "-- starts with dashes" });
  assert.strictEqual(workspace.command.show("design").document.phases["--phase"].context_summary, "-- starts with dashes");
});

test("arguments can be omitted in any position", (t) => {
  repository(t);
  const { command, list, pipeline } = ckpt.open(".", { by: null, onNote: null });
  assert.strictEqual(command.start("ship", undefined, undefined).key, "command:ship");
  assert.strictEqual(command.start("ship", "v1", { phases: null, again: false }).key, "command:ship/v1");
  assert.strictEqual(list(undefined).checkpoints.length, 2);
  fs.writeFileSync("SPEC.md", SPEC);
  pipeline.init("SPEC.md");
  for (const id of ["PRD-001", undefined]) {
    pipeline.review(id, "ship");
  }
  assert.strictEqual(pipeline.show("PRD-001").document.adversarial_review.verdict, "ship");
});

test("a review that blocks a pipeline throws an error that says so", (t) => {
  repository(t);
  const { pipeline } = ckpt.open();
  fs.writeFileSync("SPEC.md", SPEC);
  pipeline.init("SPEC.md");
  pipeline.review("PRD-001", "do_not_ship", { p0: 1 });
  assert.throws(() => pipeline.start("PRD-001", "WS1"), ckpt.BlockedError);
});

test("failed commands report notes too", (t) => {
  repository(t);
  const native = require("../lib/native.cjs");
  const notes = [];
  const { command } = ckpt.open(".", { onNote: (note) => notes.push(note) });
  assert.throws(() => command.complete("design"), ckpt.NotFoundError);
  assert.deepStrictEqual(notes, [], "the error is thrown, and is not also a note");
  const { run } = native;
  t.after(() => (native.run = run));
  native.run = (asked) => {
    const outcome = run(asked);
    return { ...outcome, notes: ["something else", ...outcome.notes] };
  };
  assert.throws(() => command.complete("design"), ckpt.NotFoundError);
  assert.deepStrictEqual(notes, ["something else"]);
});

test("a failure of the engine itself is typed too", async (t) => {
  repository(t);
  const native = require("../lib/native.cjs");
  const { run, runAsync } = native;
  t.after(() => Object.assign(native, { run, runAsync }));
  const panicking = require("./panicking.node");
  native.run = () => panicking.panicRunning();
  native.runAsync = () => panicking.panicRunningAsync();
  const { list, promises } = ckpt.open();
  assert.throws(() => list(), ckpt.FailedError);
  await assert.rejects(promises.list(), ckpt.FailedError);
});

test("notes besides the result are reported, and the raw JSON has every digit", (t) => {
  const root = repository(t);
  const notes = [];
  const workspace = ckpt.open(root, { onNote: (note) => notes.push(note) });
  workspace.command.save("design", '{"command":"design","version":1,"state":{},"phases":{},"big":9007199254740993}');
  assert.match(workspace.call(["show", "design"]), /9007199254740993/);
  fs.writeFileSync(path.join(root, ".claude", "state", "design-checkpoint.json"), "{");
  workspace.command.phase("design", "a", "complete");
  assert.match(notes.join("\n"), /was unreadable and is kept as/);
});

test("the example in the guide does what it says", (t) => {
  const guide = fs.readFileSync(path.join(PACKAGE, "ADOPTION.md"), "utf8");
  const [, example] = guide.match(/```js\n(const ckpt = [^`]+)```/);
  const printed = execFileSync(process.execPath, ["--input-type=commonjs"], {
    cwd: directory(t),
    input: example.replace('require("ckpt")', `require(${JSON.stringify(PACKAGE)})`),
    encoding: "utf8",
  });
  assert.match(printed, /implementation/);
  assert.match(printed, /Cannot complete checkpoint: no checkpoint found\n$/);
});

test("the addon does not contain the MCP server", () => {
  const addon = fs.readFileSync(path.join(PACKAGE, fileName()));
  assert.ok(addon.includes("sessionNotes"), "the engine is in it");
  assert.ok(!addon.includes("notifications/resources/updated"), "the server is not");
});
