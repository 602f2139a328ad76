// Many clients, and hooks beside them, change one plan at the same time.
import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import { call, CKPT, connect, connectModern, makePlan, planFile, planState, repository, run } from "./setup.mjs";

const CROWD = 20;
const numbers = Array.from({ length: CROWD }, (_, i) => String(i).padStart(2, "0"));
const TICKED = numbers.map((n) => `client ${n}`);
const EDITED = numbers.map((n) => `editor ${n}`);
const id = (text) => text.replace(" ", "-");

test("Twenty clients tick tasks while twenty hooks report an edit: every tick is in plan.md and in the state", async (t) => {
  const repo = repository(t);
  const plan = makePlan(repo, [...TICKED, ...EDITED]);
  const file = planFile(repo, plan);
  const connecting = numbers.map((_, i) => (i % 2 ? connectModern(repo) : connect(repo)));
  const clients = await Promise.all(connecting);
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/\[ \] editor/g, "[x] editor"));
  const event = (n) => ({
    hook_event_name: "PostToolUse",
    session_id: `session-${n}`,
    cwd: repo.dir,
    tool_name: "Edit",
    tool_input: { file_path: file },
  });
  const [ticks, hooks] = await Promise.all([
    Promise.all(clients.map((client, i) => call(client, "plan", { action: "done", tasks: [id(TICKED[i])], plan }))),
    Promise.all(numbers.map((n) => run(repo, CKPT, ["hook", "claude"], JSON.stringify(event(n))))),
  ]);
  assert.ok(ticks.every((told) => told.total === 2 * CROWD));
  assert.deepEqual(new Set(hooks.map((hook) => hook.code)), new Set([0]));

  const markdown = fs.readFileSync(file, "utf8");
  const state = planState(repo, plan);
  for (const text of [...TICKED, ...EDITED]) {
    assert.ok(markdown.includes(`- [x] ${text} <!-- TASK: ${id(text)} -->`), `${text} in plan.md`);
    assert.equal(state.phases.build.tasks[id(text)].done, true, `${text} in the state`);
  }
  assert.equal(state.progress.completedTasks, 2 * CROWD);
  const { entries } = await call(clients[0], "log", { key: plan, limit: 1000 });
  const completed = entries.filter((entry) => entry.event === "task_completed").map((entry) => entry.details.taskId);
  assert.deepEqual(completed.sort(), [...TICKED, ...EDITED].map(id).sort());
});

test("One client ticks and unticks tasks in many calls at once, and nothing is lost", async (t) => {
  const repo = repository(t);
  const plan = makePlan(repo, TICKED);
  const client = await connect(repo);
  const all = (action) => Promise.all(TICKED.map((text) => call(client, "plan", { action, tasks: [id(text)], plan })));
  await all("done");
  assert.equal(planState(repo, plan).progress.completedTasks, CROWD);
  await all("undo");
  assert.equal(planState(repo, plan).progress.completedTasks, 0);
  await all("done");
  assert.equal(fs.readFileSync(planFile(repo, plan), "utf8").match(/\[x\]/g).length, CROWD);
});
