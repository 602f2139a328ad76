// With continue_unfinished, an agent that stops before its plan is done is told the next task, once for each.

import { say } from '../models/script.mjs';
import { occurrences } from '../world/session.mjs';
import { checkPrompts } from './background.mjs';
import { edits } from './steps.mjs';

export const title = 'stops too early';

export const rows = ['unfinished', 'prompts'];

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  await world.ckpt('config', 'set', '--user', 'continue_unfinished', 'true');
  const session = await begin({
    lead: [[say('I stop here.')], ...edits(client, world, 'zebra'), [say('I stop again.')], [say('I really stop.')]],
  });
  await session.finish();

  const unfinished = cell('unfinished');
  for (const animal of ['zebra', 'quagga']) {
    const times = occurrences(session.told(), `Next: task ${animal}`);
    unfinished.sent(`the model is told once that ${animal} is next`, times === 1, times);
  }
  const asked = session.requests().length;
  unfinished.sent('the client goes on for each, and then stops', asked >= 4, asked);
  const [record] = world.sessions();
  unfinished.state('it is remembered how often the agent was asked', record?.nudges === 2, record?.nudges);
  unfinished.state('what it did then is recorded', world.task('zebra').completedBy === 'main', world.task('zebra'));
  unfinished.logged('the hook of the stop ran each time', session.hooks('stop') >= 3, session.hooks('stop'));
  unfinished.logged('hooks ran, and none failed', session.hooksAreWell(), session.failedHooks());

  checkPrompts(cell('prompts'), { world, session, after: 'an agent was asked to go on', told: 'Next: task zebra' });
}
