// The context window fills up, and the client really compacts the conversation.

import { crowded, held, say } from '../models/script.mjs';
import { pause } from '../world/processes.mjs';
import { briefs, toldIn } from '../world/session.mjs';
import { edits, shellEdit } from './steps.mjs';

export const title = 'compaction';

export const rows = ['compaction'];

/** Asks the client's module for a context window that a life can fill. */
export const smallWindow = true;

/** Said at the beginning; a summary leaves it out. */
const OLD_NEWS = 'The gate of the zoo is open.';

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  const before = [
    [client.shell(`echo ${OLD_NEWS}`)],
    ...edits(client, world, 'zebra'),
    crowded(...shellEdit(client, 'quagga')),
  ];
  const after = [
    shellEdit(client, 'okapi'),
    held('compacted', client.shell('echo Two more to go.')),
    [client.shell('echo One more to go.')],
    [say('Three animals are fed.')],
  ];
  if (client.compactsAtPrompt) {
    const first = await begin({ lead: before });
    await first.finish();
  }
  const session = await begin(
    { lead: client.compactsAtPrompt ? after : [...before, ...after] },
    { resume: client.compactsAtPrompt },
  );
  await session.reached('compacted');
  // Some clients compact in the background and go on meanwhile; give them the time that a model would take.
  await pause(500);
  session.model.release('compacted');
  await session.finish();

  const compaction = cell('compaction');
  const summaries = session.requests('compaction').length;
  const told = toldIn(session.requests().at(-1));
  compaction.sent(
    'the model is asked for a summary',
    summaries > 0,
    session.model.requests.map((request) => request.conversation),
  );
  compaction.sent('what was said before is gone', !told.includes(OLD_NEWS), told.slice(-600));
  compaction.sent('the model is given one brief afterwards', briefs(told) === 1, briefs(told));
  compaction.sent('the brief knows what is done', /[23] of 10 tasks done/.test(told), told.slice(-600));
  const done = ['zebra', 'quagga', 'okapi'].every((animal) => world.task(animal).completedBy === 'main');
  compaction.state('every edit is recorded', done, world.planState().phases.animals.tasks);
  compaction.state('it is still one session', world.sessions().length === 1, world.sessions().length);
  compaction.logged('hooks ran, and none failed', session.hooksAreWell(), session.failedHooks());

  const [record] = world.sessions();
  const copies = world.history('backup_created').filter((line) => line.reason === 'pre_compact');
  if (client.events.compaction) {
    compaction.state('the compaction is recorded', record?.compacted_at > 0, record);
    compaction.state('the state was copied before it', copies.length === 1, world.history('backup_created'));
    compaction.logged('the hook of the compaction ran', session.hooks('compaction') > 0);
  } else {
    compaction.state(
      'no compaction is recorded that the client did not report',
      record?.compacted_at === 0 && copies.length === 0,
      record,
    );
    compaction.logged('the hook of the session start ran', session.hooks('sessionStart') > 0);
  }
}
