// Two agents work in one repository at the same time; neither is taken for dead.

import { held, say } from '../models/script.mjs';
import { edits, shellEdit } from './steps.mjs';

export const title = 'two agents at once';

export const rows = ['twoAgents'];

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  const patient = await begin({
    lead: [
      ...edits(client, world, 'zebra'),
      held('the other one is done', ...shellEdit(client, 'quagga')),
      [say('Two are fed.')],
    ],
  });
  await patient.reached('the other one is done');
  const quick = await begin({ lead: [shellEdit(client, 'okapi'), [say('The okapi is fed.')]] });
  await quick.finish();
  const meanwhile = world.sessions();
  patient.model.release('the other one is done');
  await patient.finish();

  const two = cell('twoAgents');
  two.sent('the second is told of no crash', !/died/.test(quick.toldAtFirst()), quick.toldAtFirst().slice(0, 600));
  two.sent(
    'the second is told that the first is live',
    /Another \w+ session has been running/.test(quick.toldAtFirst()),
    quick.toldAtFirst().slice(-600),
  );
  two.state(
    'there are two sessions',
    meanwhile.length === 2,
    meanwhile.map((record) => record.session_id),
  );
  two.state('the first was open when the second ended', !meanwhile[0].ended_at && meanwhile[1]?.ended_at, meanwhile);
  two.state('no crash is recorded', world.history('session_crash').length === 0, world.history('session_crash'));
  const by = (animal) => world.history('task_completed').find((line) => line.taskId === animal)?.session;
  const [first, second] = meanwhile.map((record) => record.session_id);
  two.state(
    'the history tells who did what',
    by('zebra') === first && by('okapi') === second && by('quagga') === first,
    [by('zebra'), by('okapi'), by('quagga')],
  );
  const goodbyes = world.sessions().filter((record) => record.goodbye_at).length;
  two.state('both said goodbye', goodbyes === 2, world.sessions());
  for (const session of [patient, quick]) {
    two.logged('the hook of the end ran', session.hooks('sessionEnd') > 0);
    two.logged('hooks ran, and none failed', session.hooksAreWell(), session.failedHooks());
  }
}
