// Updates a checkpoint many times, in a worker or in its own process.
"use strict";

const { isMainThread, workerData } = require("node:worker_threads");
const { updatePhase } = require("../../index.cjs");

const { name, updates } = isMainThread ? { name: process.argv[2], updates: Number(process.argv[3]) } : workerData;

for (let update = 0; update < updates; update += 1) {
  const own = updatePhase("implement", `${name}-${update}`, { status: "complete" }, "race");
  const shared = updatePhase("implement", "shared", { tasks: { [`${name}-${update}`]: true } }, "race");
  if (!own || !shared) process.exitCode = 1;
}
