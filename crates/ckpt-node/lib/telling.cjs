// Reports failures, without ever throwing.
"use strict";

/**
 * Report something in one line through console.error.
 * @param {string} message - The message
 */
function tell(message) {
  try {
    console.error(message.replace(/\s*[\r\n]+\s*/g, " "));
  } catch {
    // The caller has removed or broken console.error, and gets no message.
  }
}

/**
 * Why something was thrown.
 * @param {unknown} error - The thrown value, which can be anything
 * @returns {string} The reason in words.
 */
function reason(error) {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "unknown reason";
  }
}

module.exports = { reason, tell };
