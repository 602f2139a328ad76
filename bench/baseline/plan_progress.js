// Reads a plan with regular expressions. Prints the cost of the function alone, in the launcher's format, and then the
// number of tasks and how many of them are done:
//
//   WALL_NANOSECONDS CPU_MICROSECONDS PEAK_RSS_KIB EXIT_CODE
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
