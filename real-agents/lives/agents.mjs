// A sub-agent works on a task while the lead waits for it.

import { helperPrompt, say } from '../models/script.mjs';
import { edits, handsOver } from './steps.mjs';

export const title = 'sub-agent';

export const rows = ['agent'];

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  const session = await begin({
    lead: [...client.delegate(helperPrompt('keeper', 'Work on task okapi.')), [say('The keeper is done.')]],
    keeper: [...edits(client, world, 'okapi'), handsOver('okapi', 'The okapi is fed.')],
  });
  await session.finish();

  const agent = cell('agent');
  agent.sent('the sub-agent is asked', session.requests('keeper').length > 0);
  agent.sent(
    'the lead is told what the sub-agent reports',
    session.told().includes('The okapi is fed.'),
    session.told().slice(-400),
  );

  const by = `subagent:${client.agentType}`;
  const task = world.task('okapi');
  agent.state('the task is done by the sub-agent', task.done && task.completedBy === by, task);
  const helpers = Object.values(world.planState().agents);
  const [helper] = helpers;
  agent.state('the plan lists one sub-agent', helpers.length === 1, world.planState().agents);
  agent.state('its type is known', helper?.type === client.agentType, helper);
  agent.state('it has ended, and did not die', helper?.endedAt && !helper.died, helper);
  agent.state('it was asked to work on the task', helper?.assignedTasks?.includes('okapi'), helper);
  agent.state('its handoff is recorded', JSON.stringify(helper?.handoff ?? '').includes('The okapi is fed.'), helper);
  for (const event of ['subagent_started', 'subagent_stopped']) {
    agent.state(`the history has ${event} once`, world.history(event).length === 1, world.history(event).length);
  }

  agent.logged('the hook of its start ran', session.hooks('agentStart') > 0);
  agent.logged('the hook of its stop ran', session.hooks('agentStop') > 0);
  agent.logged('hooks ran, and none failed', session.hooksAreWell(), session.failedHooks());
}
