// The client is killed while a sub-agent works, and the next session is told what the sub-agent left behind.

import { held, helperPrompt, say } from '../models/script.mjs';
import { pause } from '../world/processes.mjs';
import { edits } from './steps.mjs';

export const title = 'crash with a sub-agent';

export const rows = ['agentCrash'];

const LAST_WORDS = 'Half of the okapi is fed.';

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  const doomed = await begin({
    lead: [...client.delegate(helperPrompt('keeper', 'Work on tasks okapi and tapir.'))],
    keeper: [
      ...edits(client, world, 'okapi'),
      [say(LAST_WORDS), client.shell('echo The other half comes next.')],
      held('mid-work', say('Never said.')),
    ],
  });
  await doomed.reached('mid-work');
  // Some clients write down what was said only every second.
  await pause(2000);
  await doomed.crash();
  const next = await begin({ lead: [[say('I only look.')]] });
  await next.finish();

  const crash = cell('agentCrash');
  const told = next.toldAtFirst();
  const brief = told.slice(told.indexOf('CHECK FIRST')).slice(0, 900);
  crash.sent(
    'the next session is told that a sub-agent died',
    /Sub-agent \w+ \([\w-]+\) died without a report/.test(told),
    brief,
  );
  crash.sent('what it was working on', /died without a report[^\n]*tapir/.test(told), brief);
  crash.sent('its last words', told.includes(LAST_WORDS), brief);
  const [helper] = Object.values(world.planState().agents);
  crash.state('the plan says that it died', helper?.died && helper.endedAt, helper);
  crash.state('it has a partial handoff', helper?.handoff?.status === 'partial', helper);
  crash.state('its claims are known', helper?.assignedTasks?.includes('tapir'), helper);
  crash.state(
    'what it did is its own',
    world.task('okapi').completedBy === `subagent:${client.agentType}`,
    world.task('okapi'),
  );
  crash.logged(
    'the killed session logged its start and no stop',
    doomed.hooks('agentStart') > 0 && doomed.hooks('agentStop') === 0,
  );
  crash.logged('hooks of the next session ran, and none failed', next.hooksAreWell(), next.failedHooks());
}
