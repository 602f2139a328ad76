// Loads the engine.
"use strict";

const path = require("node:path");
const { fileName } = require("./platform.cjs");

const file = path.join(__dirname, "..", fileName());

try {
  module.exports = require(file);
} catch (error) {
  throw new Error(
    `ckpt cannot load its engine from ${file}: ${error.message}. ` +
      "Build it with `npm run build` in the package's directory.",
    { cause: error },
  );
}
