// The plan that the agents work on.

export const PLAN = '260220-1149-zoo';

export const PLAN_FILE = `plans/${PLAN}/plan.md`;

/** One task for each thing that a life does. */
export const ANIMALS = ['zebra', 'quagga', 'okapi', 'tapir', 'gnu', 'kudu', 'oryx', 'eland', 'bongo', 'nyala'];

const line = (box, animal) => `- [${box}] Feed the ${animal} <!-- TASK: ${animal} -->`;

export const planText = [
  '# Zoo',
  '',
  '## Animals',
  '<!-- CHECKPOINT: animals -->',
  ...ANIMALS.map((animal) => line(' ', animal)),
  '',
].join('\n');

/** The line of a task before and after it is ticked. */
export const tick = (animal) => ({ from: line(' ', animal), to: line('x', animal) });

/** A shell command that ticks a task. */
export const tickCommand = (animal) =>
  `sed -i.orig 's/- ... Feed the ${animal}/- [x] Feed the ${animal}/' ${PLAN_FILE} && rm ${PLAN_FILE}.orig`;
