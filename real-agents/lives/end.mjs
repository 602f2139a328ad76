// A session ends as it should, and the next one is told of no crash.

import { say } from '../models/script.mjs';
import { edits } from './steps.mjs';

export const title = 'clean end';

export const rows = ['end'];

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  const first = await begin({ lead: [...edits(client, world, 'zebra'), [say('The zebra is fed.')]] });
  await first.finish();
  const second = await begin({ lead: [[say('I only look.')]] });
  await second.finish();

  const end = cell('end');
  end.sent(
    'the next session is told of no crash',
    !/died/.test(second.toldAtFirst()),
    second.toldAtFirst().slice(0, 600),
  );
  end.sent(
    'it is told what is done',
    /1 of 10 tasks done/.test(second.toldAtFirst()),
    second.toldAtFirst().slice(0, 600),
  );
  const records = world.sessions();
  end.state(
    'there are two sessions',
    records.length === 2,
    records.map((record) => record.session_id),
  );
  const goodbyes = records.filter((record) => record.goodbye_at && record.ended_at).length;
  end.state('both said goodbye', goodbyes === 2, records);
  end.state('no crash is recorded', world.history('session_crash').length === 0);
  const { facts } = await world.ckptJson('resume');
  end.state('the brief has no crash', !facts.some((fact) => fact.hazard === 'session_died'), facts);
  const copies = world.history('backup_created').filter((line) => line.reason === 'session_end');
  end.state('the state was copied at the end', copies.length > 0, world.history('backup_created'));
  const notes = JSON.stringify(world.planState().sessionNotes);
  if (client.writesTranscriptInTime) end.state('the last thing that the agent said is noted', notes.includes('I only look.'), notes);
  end.logged('the hook of the end ran both times', first.hooks('sessionEnd') > 0 && second.hooks('sessionEnd') > 0);
  end.logged('hooks ran, and none failed', first.hooksAreWell(), first.failedHooks());
}
