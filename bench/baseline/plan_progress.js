// What reading a plan with regular expressions costs. Prints, as the launcher does,
//
//   WALL_NANOSECONDS CPU_MICROSECONDS PEAK_RSS_KIB EXIT_CODE
//
// of the function alone, then how many tasks there are and how many of them are done.
//
// usage: node plan_progress.js PLAN
'use strict';
const fs = require('fs');

function parseProgressFromPlan(planContent) {
  const phases = {}; const tasks = {};
  const phaseMatches = planContent.matchAll(/<!-- CHECKPOINT: ([\w-]+) -->/g);
  const taskMatches = planContent.matchAll(/- \[([ x])\] (.+?) <!-- TASK: ([\w-]+) -->/g);
  for (const match of taskMatches) { const [, checked, description, taskId] = match;
    tasks[taskId] = { done: checked === 'x', description: description.trim() }; }
  const total = Object.keys(tasks).length; const completed = Object.values(tasks).filter(t => t.done).length;
  return { tasks, progress: { totalTasks: total, completedTasks: completed, percentage: total > 0 ? (completed / total * 100).toFixed(1) : 0 } };
}

const plan = fs.readFileSync(process.argv[2], 'utf8');
const cpuBefore = process.cpuUsage();
const begin = process.hrtime.bigint();
const { progress } = parseProgressFromPlan(plan);
const wall = process.hrtime.bigint() - begin;
const { user, system } = process.cpuUsage(cpuBefore);
const { maxRSS } = process.resourceUsage();
console.log(`${wall} ${user + system} ${maxRSS} 0 tasks ${progress.totalTasks} done ${progress.completedTasks}`);
