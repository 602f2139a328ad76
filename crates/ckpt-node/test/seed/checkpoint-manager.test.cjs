const test = require("node:test");
const assert = require("node:assert");
const fs = require("fs");
const path = require("path");
const {
  loadCheckpoint,
  saveCheckpoint,
  updatePhase,
} = require("./checkpoint-manager.cjs");

test("saveCheckpoint creates file in .claude/state/", async () => {
  const tmpDir = fs.mkdtempSync("/tmp/checkpoint-test-");
  process.env.GIT_ROOT = tmpDir; // Mock git root

  const checkpoint = {
    command: "design",
    feature: "test-feature",
    version: 1,
    state: { current_phase: null, completed_phases: [], pending_phases: [] },
    phases: {},
  };

  const success = saveCheckpoint("design", checkpoint, "test-feature");
  assert.strictEqual(success, true);

  const filePath = path.join(tmpDir, ".claude/state/design-test-feature.json");
  assert.strictEqual(fs.existsSync(filePath), true);

  // Cleanup
  fs.rmSync(tmpDir, { recursive: true });
});

test("updatePhase adds timestamps", async () => {
  const tmpDir = fs.mkdtempSync("/tmp/checkpoint-test-");
  process.env.GIT_ROOT = tmpDir;

  const before = new Date().toISOString();
  const success = updatePhase("design", "research", { status: "in_progress" }, "test-feature");
  assert.strictEqual(success, true);
  const after = new Date().toISOString();

  const phase = loadCheckpoint("design", "test-feature").phases.research;
  for (const time of [phase.started_at, phase.updated_at]) {
    assert.ok(before <= time && time <= after, `${before} <= ${time} <= ${after}`);
  }

  fs.rmSync(tmpDir, { recursive: true });
});

test("validateContextSummary on save rejects >500 tokens", async () => {
  const tmpDir = fs.mkdtempSync("/tmp/checkpoint-test-");
  process.env.GIT_ROOT = tmpDir;

  const checkpoint = {
    command: "design",
    feature: "test-feature",
    version: 1,
    state: { current_phase: null, completed_phases: [], pending_phases: [] },
    phases: {
      research: { status: "complete", context_summary: Array(501).fill("word").join(" ") },
    },
  };

  const success = saveCheckpoint("design", checkpoint, "test-feature");
  assert.strictEqual(success, false);
  const filePath = path.join(tmpDir, ".claude/state/design-test-feature.json");
  assert.strictEqual(fs.existsSync(filePath), false);

  fs.rmSync(tmpDir, { recursive: true });
});
