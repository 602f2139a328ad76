// What agents do in more than one life.

import { say } from '../models/script.mjs';
import { tick, tickCommand } from '../world/plan.mjs';

/** Turns that tick a task with one of the client's editing tools, the first one if none is named. */
export function edits(client, world, animal, editor = Object.keys(client.editors)[0]) {
  const { from, to } = tick(animal);
  // The file is read when the model answers: other turns have changed it by then.
  return [...client.look(world.planFile), [() => client.editors[editor](world.planFile, from, to)]];
}

/** A turn that ticks a task with a shell command. */
export const shellEdit = (client, animal) => [client.shell(tickCommand(animal))];

/** A turn that ticks a task with a shell command which then fails. */
export const failedShellEdit = (client, animal) => [client.shell(`${tickCommand(animal)}; exit 3`)];

const response = (task, summary) => ({
  task_id: task,
  phase: 'write',
  status: 'complete',
  decision: 'PROCEED',
  findings: { files_created: [], files_modified: [] },
  context_summary: summary,
});

/** A turn in which a sub-agent hands over. */
export const handsOver = (task, summary) => [say(`My report:\n\n${JSON.stringify(response(task, summary))}`)];

/** A summary that is over the limit of 500 tokens. */
export const LONG_SUMMARY = 'word '.repeat(600).trim();

/** The first words of ckpt's objection to a handoff. */
export const OBJECTION = 'This handoff response cannot be recorded';
