// The client is killed in the middle of its work, and the next session is told.

import { held, say } from '../models/script.mjs';
import { pause } from '../world/processes.mjs';
import { edits, shellEdit } from './steps.mjs';

export const title = 'crash';

export const rows = ['crash'];

const LAST_WORDS = 'Half of the quagga is fed.';

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  const doomed = await begin(
    {
      lead: [
        ...edits(client, world, 'zebra'),
        [say(LAST_WORDS), client.shell('echo The other half comes next.')],
        held('mid-work', say('Never said.')),
      ],
    },
    { prompt: 'Feed the quagga.' },
  );
  await doomed.reached('mid-work');
  // Some clients write down what was said only every second.
  await pause(2000);
  await doomed.crash();
  const [dead] = world.sessions();

  const next = await begin({ lead: [shellEdit(client, 'quagga'), [say('The quagga is fed.')]] });
  await next.finish();

  const crash = cell('crash');
  const told = next.toldAtFirst();
  const brief = told.slice(told.indexOf('CHECK FIRST')).slice(0, 700);
  crash.sent('the next session is told that a session died', /died without SessionEnd/.test(told), brief);
  // Ids that begin with the time are told by their end.
  const names = [dead?.session_id.slice(0, 8), dead?.session_id.slice(-8)];
  crash.sent('which one', names.some((name) => told.includes(`Session ${name} `)), brief);
  crash.sent('what the user had asked', /The user had asked: "[^"]*Feed the quagga/.test(told), brief);
  crash.sent('its last words', told.includes(LAST_WORDS), brief);
  crash.state(
    'the crash is in the history once',
    world.history('session_crash').length === 1,
    world.history('session_crash'),
  );
  crash.state('so is the recovery', world.history('session_recovered').length === 1);
  crash.state('what it had done is kept', world.task('zebra').completedBy === 'main', world.task('zebra'));
  const ended = world.sessions().find((record) => record.session_id === dead?.session_id);
  crash.state('its record is closed without a goodbye', ended?.ended_at && !ended.goodbye_at, ended);
  crash.logged(
    'the killed session logged no end',
    doomed.hooks('sessionStart') > 0 && doomed.hooks('sessionEnd') === 0,
  );
  crash.logged('hooks of the next session ran, and none failed', next.hooksAreWell(), next.failedHooks());
}
