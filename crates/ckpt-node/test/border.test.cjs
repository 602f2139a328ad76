// The border between JavaScript and the engine.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { dirname } = path;
const test = require("node:test");
const {
  completeCheckpoint,
  countTokens,
  getResumePoint,
  loadCheckpoint,
  saveCheckpoint,
  updatePhase,
  validateContextSummary,
} = require("ckpt");
const { directory, file, git, heard, repository } = require("./helpers/place.cjs");

const fresh = (more = {}) => ({
  command: "design",
  version: 1,
  state: { current_phase: null, completed_phases: [], pending_phases: [] },
  phases: {},
  ...more,
});

function assertMembers(actual, expected) {
  for (const [name, value] of Object.entries(expected)) assert.deepStrictEqual(actual[name], value, name);
}

/** Values that someone will pass some day. */
function oddities() {
  const cyclic = {};
  cyclic.self = cyclic;
  const throwing = {
    get state() {
      throw new Error("a getter that throws");
    },
  };
  const untold = {
    toJSON() {
      throw Object.create(null);
    },
  };
  return [
    undefined, null, true, false, 0, -1, NaN, Infinity, 2 ** 60, 10n, "", " ", "..", "/", "a/b", "\0", "\ud800", "x".repeat(5000),
    Symbol("s"), () => {}, [], ["a"], {}, { toString: null }, Object.create(null), new Date(NaN), new Map(), cyclic, throwing,
    untold, new Proxy({}, { get() { throw new Error("a proxy that throws"); }, ownKeys() { throw new Error("no keys"); } }),
    { version: 1, state: { context_summary: { deep: [10n] } } }, JSON.parse('{"__proto__": {"version": 1}}'),
  ];
}

test("whatever is passed, nothing is thrown, and at most one line is printed", (t) => {
  repository(t);
  for (const one of oddities()) {
    for (const other of [undefined, null, "feature", {}, 7, Symbol("s")]) {
      const calls = [
        [() => loadCheckpoint(one, other), (result) => result === null || typeof result === "object"],
        [() => loadCheckpoint("design", one), (result) => result === null || typeof result === "object"],
        [() => saveCheckpoint(one, fresh(), other), (result) => typeof result === "boolean"],
        [() => saveCheckpoint("design", one, other), (result) => result === false],
        [() => updatePhase(one, "phase", {}, other), (result) => typeof result === "boolean"],
        [() => updatePhase("review", one, {}, other), (result) => typeof result === "boolean"],
        [() => updatePhase("review", "phase", one, other), (result) => typeof result === "boolean"],
        [() => completeCheckpoint(one, other), (result) => typeof result === "boolean"],
        [() => getResumePoint(one, other), (result) => Object.keys(result).join() === "phase,summary"],
        [() => countTokens(one), Number.isInteger],
        [() => validateContextSummary(one, other), (result) => typeof result.valid === "boolean"],
      ];
      for (const [call, holds] of calls) {
        const { result, lines } = heard(call);
        assert.ok(holds(result), `${call}: ${String(result)}`);
        assert.ok(lines.length <= 1 && lines.every((line) => !/[\r\n]/.test(line)), lines.join("\n"));
      }
    }
  }
});

test("failures are reported in the documented words", (t) => {
  const root = repository(t);
  const told = (work) => {
    const { result, lines } = heard(work);
    assert.ok(result === null || result === false);
    return lines;
  };
  assert.deepStrictEqual(told(() => loadCheckpoint("design")), [], "no checkpoint is nothing to talk about");
  assert.deepStrictEqual(told(() => completeCheckpoint("design")), ["Cannot complete checkpoint: no checkpoint found"]);
  assert.deepStrictEqual(told(() => loadCheckpoint("design", "..")), ["Feature name must contain valid characters"]);
  assert.deepStrictEqual(told(() => loadCheckpoint("")), ["Command name is required and must contain valid characters"]);
  assert.deepStrictEqual(told(() => saveCheckpoint("design", fresh({ version: 2 }))), [
    "Cannot save checkpoint with unsupported schema version: 2 (expected 1)",
  ]);
  assert.deepStrictEqual(told(() => saveCheckpoint("design", {})), [
    "Cannot save checkpoint with unsupported schema version: undefined (expected 1)",
  ]);
  assert.deepStrictEqual(told(() => saveCheckpoint("design", [])), [
    "Failed to save checkpoint: a checkpoint must be a JSON object",
  ]);
  assert.deepStrictEqual(told(() => saveCheckpoint("design", fresh({ n: 10n }))), [
    "Failed to save checkpoint: Do not know how to serialize a BigInt",
  ]);
  assert.deepStrictEqual(told(() => updatePhase("design", "a", 5)), [
    "Failed to update phase: the data of a phase must be an object",
  ]);
  assert.match(told(() => updatePhase("design", "a", { status: "odd" }))[0], /^Failed to update phase: unknown phase status odd/);
  const long = Array(501).fill("word").join(" ");
  assert.deepStrictEqual(told(() => updatePhase("design", "a", { context_summary: long })), [
    'Phase "a" Context summary exceeds 500 token limit (actual: 501 tokens)',
  ]);
  const path = file(root, "design-checkpoint");
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, '{"version": 1,');
  assert.deepStrictEqual(told(() => loadCheckpoint("design")), [`Checkpoint file exists but is corrupt: ${path}`]);
  fs.writeFileSync(path, "[]");
  assert.deepStrictEqual(told(() => loadCheckpoint("design")), [
    "Failed to load checkpoint: a checkpoint must be a JSON object",
  ]);
  fs.writeFileSync(path, '{"version": 3}');
  assert.deepStrictEqual(told(() => loadCheckpoint("design")), ["Unsupported checkpoint schema version: 3 (expected 1)"]);
  assert.deepStrictEqual(told(() => updatePhase("design", "a", {})), ["Unsupported checkpoint schema version: 3 (expected 1)"]);
  assert.strictEqual(fs.readFileSync(path, "utf8"), '{"version": 3}');
  fs.rmSync(path);
  fs.mkdirSync(path);
  assert.match(told(() => loadCheckpoint("design"))[0], /^Failed to load checkpoint: /);
  assert.match(told(() => saveCheckpoint("design", fresh()))[0], /^Failed to save checkpoint: /);
  assert.match(told(() => updatePhase("design", "a", {}))[0], /^Failed to update phase: /);
});

test("a checkpoint that was saved at another commit is loaded and reported as stale", (t) => {
  const root = repository(t);
  assert.ok(updatePhase("ship", "push", { status: "in_progress" }));
  const saved = git(root, "rev-parse", "HEAD");
  assert.deepStrictEqual(heard(() => loadCheckpoint("ship")).lines, []);
  git(root, "commit", "--quiet", "--allow-empty", "--message=another");
  const head = git(root, "rev-parse", "HEAD");
  const line = `Checkpoint is stale (saved at ${saved.slice(0, 7)}, current HEAD is ${head.slice(0, 7)})`;
  const { result, lines } = heard(() => loadCheckpoint("ship"));
  assert.deepStrictEqual(lines, [line]);
  assert.strictEqual(result.head_commit, saved);
  assert.deepStrictEqual(heard(() => getResumePoint("ship")), { result: { phase: "push", summary: null }, lines: [line] });
});

test("objects are stored by the rules of JSON.stringify, and stay as they are", (t) => {
  const root = repository(t);
  const checkpoint = Object.freeze(
    fresh({
      gone: undefined,
      none: NaN,
      when: new Date(0),
      method() {},
      list: [undefined, () => {}, Symbol("s"), -0],
      odd: { toJSON: () => "by itself" },
      z: 1,
      a: 2,
      ...JSON.parse('{"__proto__": {"polluted": true}}'),
    }),
  );
  Object.freeze(checkpoint.state);
  Object.freeze(checkpoint.phases);
  assert.strictEqual(saveCheckpoint("design", checkpoint), true);
  const stored = fs.readFileSync(file(root, "design-checkpoint"), "utf8");
  const stamped = ["head_commit", "started_at", "updated_at"];
  const members = Object.entries(JSON.parse(stored)).filter(([name]) => !stamped.includes(name));
  assert.strictEqual(JSON.stringify(Object.fromEntries(members)), JSON.stringify(checkpoint));
  assert.strictEqual(stored, `${JSON.stringify(JSON.parse(stored), null, 2)}${stored.endsWith("\n") ? "\n" : ""}`);
  assert.strictEqual({}.polluted, undefined);
  assert.deepStrictEqual(loadCheckpoint("design"), JSON.parse(stored));
});

test("numbers that JavaScript cannot hold survive a round trip if nobody touches them", (t) => {
  const root = repository(t);
  const path = file(root, "design-checkpoint");
  const numbers = '"big": 9007199254740993, "ids": [12345678901234567890, 1, 9007199254740995], "exact": 1.0, "tiny": 1e-400';
  const text = `{"command": "design", "version": 1, "state": {"completed_phases": []}, "phases": {"a": {"status": "pending", "build": 18446744073709551617}}, "deep": {${numbers}}}`;
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
  const checkpoint = loadCheckpoint("design");
  checkpoint.note = "touched";
  checkpoint.deep.ids.push(4);
  assert.strictEqual(saveCheckpoint("design", checkpoint), true);
  const expected = [/"big": 9007199254740993\b/, /12345678901234567890, 1, 9007199254740995, 4/, /"exact": 1\.0\b/, /1e-400/, /"build": 18446744073709551617\b/];
  const holds = () => {
    const stored = fs.readFileSync(path, "utf8");
    for (const pattern of expected) assert.match(stored.replace(/\s+/g, " ").replace(/\[ /g, "["), pattern);
  };
  holds();
  // They survive in a copy of the object, in a phase that is passed on, and after a second save.
  assert.strictEqual(saveCheckpoint("design", { ...checkpoint, note: "again" }), true);
  holds();
  const loaded = loadCheckpoint("design");
  assert.strictEqual(updatePhase("design", "a", { ...loaded.phases.a, status: "complete" }), true);
  holds();
  loaded.deep.big = 5;
  assert.strictEqual(saveCheckpoint("design", loaded), true);
  expected[0] = /"big": 5\b/;
  holds();
});

test("numbers that JavaScript cannot hold keep their digits where they were, and nowhere else", (t) => {
  const root = repository(t);
  const path = file(root, "design-checkpoint");
  const text = `{"command": "design", "version": 1, "state": {}, "phases": {"a": {"status": "pending", "id": 18446744073709551617}},
    "ids": [12345678901234567891, 9007199254740993, 1e400], "endless": 1e400, "none": 1e-400, "two": [11111111111111111111, 11111111111111111112]}`;
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
  const stored = () => fs.readFileSync(path, "utf8").replace(/\s+/g, "");
  const checkpoint = loadCheckpoint("design");
  checkpoint.ids = [...checkpoint.ids.slice(0, 1), 7, checkpoint.ids[1]];
  checkpoint.elsewhere = { first: checkpoint.ids[0] };
  checkpoint.zero = 0;
  assert.ok(saveCheckpoint("design", checkpoint));
  assert.match(stored(), /"ids":\[12345678901234567891,7,9007199254740992\]/);
  assert.match(stored(), /"elsewhere":{"first":12345678901234567000}/);
  assert.match(stored(), /"endless":1e400,"none":1e-400,"two":\[11111111111111111111,11111111111111111112\]/);
  assert.match(stored(), /"zero":0[,}]/);
  // Also in another file.
  assert.ok(saveCheckpoint("design", loadCheckpoint("design"), "copy"));
  assert.match(fs.readFileSync(file(root, "design-copy"), "utf8"), /18446744073709551617/);
});

test("a checkpoint that is saved to another file becomes the content of that file", (t) => {
  repository(t);
  assert.ok(saveCheckpoint("design", fresh({ text: "a" }), "a"));
  assert.ok(saveCheckpoint("design", fresh({ text: "b" }), "b"));
  assert.ok(saveCheckpoint("design", loadCheckpoint("design", "a"), "b"));
  assertMembers(loadCheckpoint("design", "b"), { text: "a" });
  // The same name in another directory is another file.
  const checkpoint = loadCheckpoint("design", "a");
  process.chdir(directory(t));
  assert.ok(saveCheckpoint("design", fresh({ text: "other" }), "a"));
  assert.ok(saveCheckpoint("design", checkpoint, "a"));
  assertMembers(loadCheckpoint("design", "a"), { text: "a" });
  // Changes by others are still merged.
  checkpoint.text = "mine";
  updatePhase("design", "theirs", {}, "a");
  assert.ok(saveCheckpoint("design", checkpoint, "a"));
  assertMembers(loadCheckpoint("design", "a"), { text: "mine" });
  assert.deepStrictEqual(Object.keys(loadCheckpoint("design", "a").phases), ["theirs"]);
});

test("an object is saved as made from what it was loaded from, whatever was loaded after it", (t) => {
  repository(t);
  assert.ok(saveCheckpoint("design", fresh({ shared: 1 })));
  const mine = loadCheckpoint("design");
  const others = require("ckpt").open();
  others.command.save("design", { ...others.command.show("design").document, shared: "theirs" });
  loadCheckpoint("design");
  mine.note = "mine";
  assert.ok(saveCheckpoint("design", mine));
  assertMembers(loadCheckpoint("design"), { shared: "theirs", note: "mine" });
  // Saving does not reload: the object is unchanged, and the next save does not revert the changes of others.
  assert.strictEqual(mine.shared, 1);
  assert.ok(saveCheckpoint("design", mine));
  assertMembers(loadCheckpoint("design"), { shared: "theirs", note: "mine" });
});

test("a document that exceeds the limits is refused, with the reason", (t) => {
  repository(t);
  let deep = {};
  for (let level = 0; level < 200; level += 1) deep = { deep };
  assert.deepStrictEqual(heard(() => saveCheckpoint("design", fresh({ deep }))), {
    result: false,
    lines: ["Failed to save checkpoint: nested deeper than 128 levels"],
  });
  assert.deepStrictEqual(heard(() => updatePhase("design", "a", deep)), {
    result: false,
    lines: ["Failed to update phase: nested deeper than 128 levels"],
  });
});

test("an unreadable file that is replaced is kept, and that is reported", (t) => {
  const root = repository(t);
  assert.ok(updatePhase("design", "a", { status: "complete" }));
  const changes = [
    () => updatePhase("design", "b", {}),
    () => saveCheckpoint("design", fresh()),
    () => completeCheckpoint("design"),
  ];
  for (const change of changes) {
    fs.writeFileSync(file(root, "design-checkpoint"), "{");
    const { result, lines } = heard(change);
    assert.strictEqual(result, true);
    assert.strictEqual(lines.length, 1);
    assert.match(lines[0], /^command:design was unreadable and is kept as .*\.corrupt-.*; its last recorded state was restored/);
  }
});

test("a file that begins with a byte order mark is loaded and saved", (t) => {
  const root = repository(t);
  const path = file(root, "design-checkpoint");
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, `\ufeff${JSON.stringify(fresh({ text: "a" }))}`);
  const { result, lines } = heard(() => loadCheckpoint("design"));
  assertMembers(result, { text: "a" });
  assert.deepStrictEqual(lines, []);
  result.note = 1;
  assert.ok(saveCheckpoint("design", result));
  assertMembers(loadCheckpoint("design"), { text: "a", note: 1 });
});

test("nothing is thrown if console.error throws or is missing", (t) => {
  repository(t);
  const before = console.error;
  t.after(() => (console.error = before));
  const throwing = () => {
    throw new Error("nobody listens");
  };
  for (const listening of [throwing, undefined]) {
    console.error = listening;
    assert.strictEqual(loadCheckpoint(""), null);
    assert.strictEqual(saveCheckpoint("design", null), false);
    assert.strictEqual(countTokens(Object.create(null)), 0);
    assert.strictEqual(validateContextSummary(Object.create(null)).valid, true);
  }
});

test("what others changed since a checkpoint was loaded is kept, and a conflict is refused", (t) => {
  repository(t);
  assert.ok(saveCheckpoint("design", fresh({ mine: 1, shared: 1 })));
  const mine = loadCheckpoint("design");
  // Another writer, with its own memory.
  const others = require("ckpt").open();
  const theirs = others.command.show("design").document;
  others.command.save("design", { ...theirs, theirs: 1 });
  mine.mine = 2;
  assert.ok(saveCheckpoint("design", mine));
  assertMembers(loadCheckpoint("design"), { mine: 2, shared: 1, theirs: 1 });
  // The object lacks what was merged on save. That must not count as a removal.
  mine.mine = 3;
  assert.ok(saveCheckpoint("design", mine));
  assertMembers(loadCheckpoint("design"), { mine: 3, theirs: 1 });
  others.command.save("design", { ...others.command.show("design").document, shared: "theirs" });
  mine.shared = "mine";
  assert.deepStrictEqual(heard(() => saveCheckpoint("design", mine)), {
    result: false,
    lines: ["Checkpoint changed since it was loaded"],
  });
  assertMembers(loadCheckpoint("design"), { shared: "theirs", mine: 3 });
});

test("an empty feature is none, and a number is one; data that is left out is empty", (t) => {
  const root = repository(t);
  assert.ok(updatePhase("design", "a", undefined, ""));
  assert.ok(updatePhase("design", "b", null, 7));
  assert.deepStrictEqual(Object.keys(loadCheckpoint("design").phases), ["a"]);
  assert.deepStrictEqual(Object.keys(loadCheckpoint("design", 7n).phases), ["b"]);
  assert.ok(fs.existsSync(file(root, "design-7")));
});

test("a checkpoint that was deleted is saved as a new one", (t) => {
  const root = repository(t);
  assert.ok(saveCheckpoint("design", fresh()));
  const checkpoint = loadCheckpoint("design");
  fs.rmSync(file(root, "design-checkpoint"));
  assert.ok(saveCheckpoint("design", checkpoint));
  assert.ok(fs.existsSync(file(root, "design-checkpoint")));
});

test("the working directory and the variables of each call count", (t) => {
  const first = repository(t);
  const nested = path.join(first, "a", "b");
  fs.mkdirSync(nested, { recursive: true });
  process.chdir(nested);
  assert.ok(updatePhase("design", "a", {}));
  assert.ok(fs.existsSync(file(first, "design-checkpoint")));
  const second = directory(t);
  process.chdir(second);
  assert.strictEqual(loadCheckpoint("design"), null);
  assert.ok(updatePhase("design", "b", {}));
  assert.ok(fs.existsSync(file(second, "design-checkpoint")));
  process.env.GIT_ROOT = first;
  t.after(() => delete process.env.GIT_ROOT);
  assert.deepStrictEqual(Object.keys(loadCheckpoint("design").phases), ["a"]);
  process.env.CKPT_SUMMARY_LIMIT = "2";
  t.after(() => delete process.env.CKPT_SUMMARY_LIMIT);
  assert.match(heard(() => updatePhase("design", "a", { context_summary: "one two three" })).lines[0], /exceeds 2 token limit/);
});

test("a repository that appears, disappears or changes its settings between two calls is noticed", (t) => {
  const outer = repository(t);
  const inner = path.join(outer, "a", "b");
  fs.mkdirSync(inner, { recursive: true });
  process.chdir(inner);
  const where = () => require("ckpt").getStateDir();
  const below = (root) => path.join(root, ".claude", "state");
  assert.deepStrictEqual([where(), where()], [below(outer), below(outer)]);
  git(path.join(outer, "a"), "init", "--quiet");
  assert.deepStrictEqual([where(), where()], [below(path.join(outer, "a")), below(path.join(outer, "a"))]);
  git(inner, "init", "--quiet");
  assert.strictEqual(where(), below(inner));
  fs.rmSync(path.join(inner, ".git"), { recursive: true });
  fs.rmSync(path.join(outer, "a", ".git"), { recursive: true });
  assert.deepStrictEqual([where(), where()], [below(outer), below(outer)]);
  const middle = path.join(outer, "a");
  const elsewhere = directory(t);
  process.chdir(inner);
  git(middle, "init", "--quiet");
  git(middle, "config", "core.worktree", "..");
  assert.strictEqual(where(), below(middle));
  for (const tree of ["../..", elsewhere]) {
    git(middle, "config", "core.worktree", tree);
    assert.throws(where, /does not belong to it/);
  }
  git(middle, "config", "--unset", "core.worktree");
  assert.strictEqual(where(), below(middle));
  fs.rmSync(path.join(middle, ".git"), { recursive: true });
  assert.strictEqual(where(), below(outer));
  fs.rmSync(path.join(outer, ".git"), { recursive: true });
  assert.strictEqual(where(), below(inner));
});

test("variables count even if process.env was replaced by another object", (t) => {
  const root = directory(t);
  const before = process.env;
  t.after(() => (process.env = before));
  process.env = { ...before, GIT_ROOT: root };
  assert.ok(updatePhase("design", "a", {}));
  assert.ok(fs.existsSync(file(root, "design-checkpoint")));
  process.env = before;
  repository(t);
  assert.strictEqual(loadCheckpoint("design"), null);
  assert.deepStrictEqual(Object.getOwnPropertySymbols(before), []);
});

test("tokens are counted as JavaScript counts words", () => {
  const reference = (text) => text.split(/\s+/).filter(Boolean).length;
  const pieces = ["a", "word", " ", "  ", "\n", "\t", "\u00a0", "\ufeff", "\u0085", "\u2028", "\u200b", "\u3000", "é", "😀", "\ud800", "\v"];
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let round = 0; round < 2000; round += 1) {
    const text = Array.from({ length: Math.floor(random() * 30) }, () => pieces[Math.floor(random() * pieces.length)]).join("");
    assert.strictEqual(countTokens(text), reference(text), JSON.stringify(text));
  }
  assert.strictEqual(countTokens(12.5), 1);
  assert.strictEqual(countTokens(["a b", "c"]), 2);
  assert.strictEqual(countTokens({}), 2);
  assert.deepStrictEqual(validateContextSummary("a b c", 2), {
    valid: false,
    tokenCount: 3,
    limit: 2,
    error: "Context summary exceeds 2 token limit (actual: 3 tokens)",
  });
  assert.deepStrictEqual(validateContextSummary(null), { valid: true, tokenCount: 0, limit: 500 });
  assert.deepStrictEqual(validateContextSummary("a b", 2), { valid: true, tokenCount: 2, limit: 2 });
  assert.deepStrictEqual(validateContextSummary("a", "odd"), { valid: true, tokenCount: 1, limit: 500 });
});
