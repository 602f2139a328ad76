// ckpt: durable, resumable workflow state for AI coding agents.
"use strict";

const checkpoints = require("./checkpoint-manager.cjs");
const tokens = require("./token-counter.cjs");
const { open, stateDirectory } = require("./lib/engine.cjs");
const { errorOf: _, ...errors } = require("./lib/errors.cjs");

module.exports = {
  ...checkpoints,
  ...tokens,
  ...errors,
  open,
  getStateDir: stateDirectory,
};
