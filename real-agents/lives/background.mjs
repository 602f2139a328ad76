// A sub-agent works in the background while the lead goes on, and the client tells the lead when it returns.

import { held, helperPrompt, say } from '../models/script.mjs';
import { edits, handsOver, shellEdit } from './steps.mjs';

export const title = 'background agent';

export const rows = ['background', 'prompts'];

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  const [look, ...work] = [...edits(client, world, 'okapi'), handsOver('okapi', 'The okapi is fed.')];
  const session = await begin({
    lead: [
      ...client.delegate(helperPrompt('keeper', 'Work on task okapi.'), { background: true }),
      shellEdit(client, 'zebra'),
      held('returned', ...(client.waitForAgents?.()[0] ?? [say('I wait for the keeper.')])),
      [say('The keeper is back.')],
    ],
    keeper: [held('sent out', ...look), ...work],
  });
  await session.reached('sent out');
  // The lead works while the sub-agent has not even begun.
  await session.reached('returned');
  const isWorking = Object.values(world.planState().agents).some((helper) => !helper.endedAt);
  session.model.release('returned');
  // The lead comes to rest first. Some clients say goodbye then: an edit that is not yet recorded would have no author.
  await world.quiet();
  session.model.release('sent out');
  await session.finish();

  const background = cell('background');
  background.sent(
    'the lead is told what the sub-agent reports',
    session.told().includes('The okapi is fed.'),
    session.told().slice(-400),
  );
  background.state('the sub-agent was at work while the lead went on', isWorking);
  const [zebra, okapi] = [world.task('zebra'), world.task('okapi')];
  background.state('the task of the lead is done by the lead', zebra.completedBy === 'main', zebra);
  background.state(
    'the task of the sub-agent is done by it',
    okapi.completedBy === `subagent:${client.agentType}`,
    okapi,
  );
  const [helper] = Object.values(world.planState().agents);
  background.state('it has ended, and did not die', helper?.endedAt && !helper.died, helper);
  background.state(
    'its handoff is recorded',
    JSON.stringify(helper?.handoff ?? '').includes('The okapi is fed.'),
    helper,
  );
  background.logged('the hook of its stop ran', session.hooks('agentStop') > 0);
  background.logged('hooks ran, and none failed', session.hooksAreWell(), session.failedHooks());

  checkPrompts(cell('prompts'), { world, session, after: 'a background agent returned', told: 'The okapi is fed.' });
}

/** One prompt of the user is counted, whatever else the client sent as one. */
export function checkPrompts(prompts, { world, session, after, told }) {
  const counted = world.sessions().map((record) => record.prompts);
  prompts.state(`one prompt is counted after ${after}`, counted.length === 1 && counted[0] === 1, counted);
  const asked = world.sessions().flatMap((record) => record.asked ?? []);
  prompts.state(
    `only the user's words are recorded after ${after}`,
    asked.length === 1 && asked[0].includes('Go on'),
    asked,
  );
  prompts.sent(`the lead is told about it after ${after}`, session.told().includes(told), session.told().slice(-400));
  prompts.logged('the hook of the prompt ran', session.hooks('prompt') > 0, session.hooks('prompt'));
}
