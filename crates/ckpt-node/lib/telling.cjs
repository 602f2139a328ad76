// Telling what did not work, without ever throwing.
"use strict";

/**
 * Tell something in one line, where whoever listens hears everything else.
 * @param {string} message - What there is to tell
 */
function tell(message) {
  try {
    console.error(message.replace(/\s*[\r\n]+\s*/g, " "));
  } catch {
    // Whoever has taken console.error away does not want to hear it.
  }
}

/**
 * Why something was thrown. Anything can be thrown.
 * @param {unknown} error - What was thrown
 * @returns {string} In words.
 */
function reason(error) {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "for a reason that cannot be told";
  }
}

module.exports = { reason, tell };
