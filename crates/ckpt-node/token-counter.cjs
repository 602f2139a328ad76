// Counts tokens, and checks the limit of context summaries.
"use strict";

const native = require("./lib/native.cjs");
const { variables } = require("./lib/surroundings.cjs");
const { reason, tell } = require("./lib/telling.cjs");

/**
 * The token limit of a context summary: 500, unless the setting `summary_limit` says otherwise when this file is loaded.
 */
const MAX_SUMMARY_TOKENS = native.summaryLimit(process.cwd(), variables());

/**
 * Count tokens: words separated by white space.
 * @param {string} text - Text to count tokens in; anything else is converted with String()
 * @returns {number} The number of tokens; 0 for null and undefined
 */
function countTokens(text) {
  if (text === null || text === undefined) return 0;
  try {
    return native.countTokens(typeof text === "string" ? text : String(text));
  } catch (error) {
    tell(`Failed to count tokens: ${reason(error)}`);
    return 0;
  }
}

/**
 * Check the length of a context summary.
 * @param {string} summary - Context summary
 * @param {number} [maxTokens] - Its token limit
 * @returns {{valid: boolean, tokenCount: number, limit: number, error?: string}} Whether it fits, and why not
 */
function validateContextSummary(summary, maxTokens = MAX_SUMMARY_TOKENS) {
  const tokenCount = countTokens(summary);
  const limit = asLimit(maxTokens);
  if (tokenCount <= limit) return { valid: true, tokenCount, limit };
  const error = `Context summary exceeds ${limit} token limit (actual: ${tokenCount} tokens)`;
  return { valid: false, tokenCount, limit, error };
}

/** Anything that is not a number means the default limit. */
function asLimit(value) {
  try {
    const limit = Number(value);
    return Number.isNaN(limit) ? MAX_SUMMARY_TOKENS : limit;
  } catch {
    return MAX_SUMMARY_TOKENS;
  }
}

module.exports = {
  MAX_SUMMARY_TOKENS,
  countTokens,
  validateContextSummary,
};
