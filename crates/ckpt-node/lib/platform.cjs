// What the addon is called on each platform.
"use strict";

/**
 * The name of the addon's file for this machine.
 * @returns {string} A file name.
 */
function fileName() {
  return `ckpt.${process.platform}-${process.arch}.node`;
}

module.exports = { fileName };
