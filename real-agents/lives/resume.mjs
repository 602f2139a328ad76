// A session ends and is taken up again by the client's own means.

import { say } from '../models/script.mjs';
import { occurrences } from '../world/session.mjs';
import { edits, shellEdit } from './steps.mjs';

export const title = 'resume';

export const rows = ['resume'];

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  const first = await begin({
    lead: [...edits(client, world, 'zebra'), [say('The zebra is fed, the quagga is next.')]],
  });
  await first.finish();
  const ended = world.sessions()[0];
  const second = await begin(
    { lead: [shellEdit(client, 'quagga'), [say('Both are fed.')]] },
    { resume: true, prompt: 'Go on.' },
  );
  await second.finish();

  const resume = cell('resume');
  const said = second
    .requests()[0]
    ?.items.some((item) => item.from === 'model' && item.text.includes('The zebra is fed'));
  resume.sent('the model is given what it said before', said);
  const news = occurrences(second.toldAtFirst(), '1 of 10 tasks done');
  resume.sent('the model is given one new brief', news === 1, news);
  resume.sent('no crash is told', !/died without/.test(second.toldAtFirst()));

  const records = world.sessions();
  resume.state(
    'it is the same session',
    records.length === 1,
    records.map((record) => record.session_id),
  );
  resume.state('it ended the first time', ended.ended_at, ended);
  resume.state('it ended again', records[0]?.ended_at > ended.ended_at, records[0]);
  resume.state('both prompts are counted', records[0]?.prompts === 2, records[0]?.prompts);
  resume.state('no crash is recorded', world.history('session_crash').length === 0);
  const line = world.history('task_completed').find((line) => line.taskId === 'quagga');
  resume.state('what it does now is its own', line?.session === ended.session_id, line);
  resume.logged('the hook of the session start ran again', second.hooks('sessionStart') > 0);
  resume.logged('hooks ran, and none failed', second.hooksAreWell(), second.failedHooks());
}
