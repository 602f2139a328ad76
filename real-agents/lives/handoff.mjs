// A sub-agent hands over a summary that is too long, is sent back once, and corrects it.

import { helperPrompt, say } from '../models/script.mjs';
import { occurrences } from '../world/session.mjs';
import { checkPrompts } from './background.mjs';
import { LONG_SUMMARY, OBJECTION, edits, handsOver } from './steps.mjs';

export const title = 'handoff sent back';

export const rows = ['handoff', 'prompts'];

/** What lead and sub-agent do, for lives that differ in how ckpt is installed. */
export const turns = (client, world) => ({
  lead: [...client.delegate(helperPrompt('keeper', 'Work on task okapi.')), [say('The keeper is done.')]],
  keeper: [
    ...edits(client, world, 'okapi'),
    handsOver('okapi', LONG_SUMMARY),
    handsOver('okapi', 'The okapi is fed.'),
    [say('There is nothing to add.')],
  ],
});

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  const session = await begin(turns(client, world));
  await session.finish();
  checkSentBackOnce(cell('handoff'), { world, session });
  checkPrompts(cell('prompts'), { world, session, after: 'a handoff was sent back', told: 'The okapi is fed.' });
}

export function checkSentBackOnce(handoff, { world, session }) {
  const objections = occurrences(session.told('keeper'), OBJECTION);
  handoff.sent('the sub-agent is told once what is wrong', objections === 1, objections);
  const size = /600 tokens/.test(session.told('keeper'));
  handoff.sent('the objection has the figure', size, session.told('keeper').slice(-300));
  handoff.sent(
    'the lead is given the corrected report',
    session.told().includes('The okapi is fed.'),
    session.told().slice(-300),
  );
  const helpers = Object.values(world.planState().agents);
  const recorded = JSON.stringify(helpers[0]?.handoff ?? '');
  handoff.state('the corrected handoff is recorded', recorded.includes('The okapi is fed.'), recorded);
  handoff.state(
    'one sub-agent stopped once',
    world.history('subagent_stopped').length === 1,
    world.history('subagent_stopped').length,
  );
  const sentBack = world.sessions().flatMap((record) => record.sent_back);
  handoff.state('it is remembered that it was sent back', sentBack.length === 1, sentBack);
  handoff.logged('the hook of its stop ran twice', session.hooks('agentStop') >= 2, session.hooks('agentStop'));
  handoff.logged('hooks ran, and none failed', session.hooksAreWell(), session.failedHooks());
}
