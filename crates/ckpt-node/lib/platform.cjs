// The name of the addon on each platform.
"use strict";

/**
 * The file name of the addon for this machine.
 * @returns {string} A file name.
 */
function fileName() {
  return `ckpt.${process.platform}-${process.arch}.node`;
}

module.exports = { fileName };
