// Calls a function of ckpt's Node package several times in one process, as a program does that stays. Prints the cost
// of one call (the median), in the launcher's format:
//
//   WALL_NANOSECONDS CPU_MICROSECONDS PEAK_RSS_KIB EXIT_CODE
//
// usage: node calls.cjs PACKAGE update|load FEATURE PHASE NUMBER, in the repository
"use strict";

const [directory, verb, feature, phase, number] = process.argv.slice(2);
const { updatePhase, loadCheckpoint } = require(directory);

const WARM = 2;
const CALLS = 5;
const work = {
  update: (call) => updatePhase("implement", phase, { context_summary: `Step ${number}.${call} is done.` }, feature),
  load: () => loadCheckpoint("implement", feature) !== null,
}[verb];

const walls = [];
const cpus = [];
let failed = 0;
for (let call = 0; call < WARM + CALLS; call += 1) {
  const before = process.cpuUsage();
  const begin = process.hrtime.bigint();
  if (work(call) !== true) failed = 1;
  const wall = process.hrtime.bigint() - begin;
  const { user, system } = process.cpuUsage(before);
  if (call >= WARM) {
    walls.push(Number(wall));
    cpus.push(user + system);
  }
}
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
console.log(`${median(walls)} ${median(cpus)} ${process.resourceUsage().maxRSS} ${failed}`);
