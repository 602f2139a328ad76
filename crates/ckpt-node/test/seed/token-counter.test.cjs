const test = require("node:test");
const assert = require("node:assert");
const { countTokens, validateContextSummary } = require("./token-counter.cjs");

test("countTokens returns word count", () => {
  assert.strictEqual(countTokens("hello world"), 2);
  assert.strictEqual(countTokens("  multiple   spaces  "), 2);
});

test("validateContextSummary passes for ≤500 tokens", () => {
  const summary = "short summary";
  const result = validateContextSummary(summary);
  assert.strictEqual(result.valid, true);
  assert.strictEqual(result.tokenCount, 2);
});

test("validateContextSummary fails for >500 tokens", () => {
  const summary = Array(501).fill("word").join(" ");
  const result = validateContextSummary(summary);
  assert.strictEqual(result.valid, false);
  assert.match(result.error, /exceeds 500 token limit/);
});
