// With enforce_gates, a push is denied while the gate blocks, and goes through after a person approves.

import { held, say } from '../models/script.mjs';

export const title = 'push';

export const rows = ['denied', 'allowed'];

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  await world.ckpt('config', 'set', 'enforce_gates', 'true');
  await world.ckpt('start', 'ship');
  await world.commit('Enforce gates');
  const push = client.shell('git push origin main');
  const session = await begin({ lead: [[push], held('approval', push), [say('It is shipped.')]] });

  await session.reached('approval');
  const pushedTooEarly = await isPushed(world);
  const [first] = session.results();
  await world.ckpt('gate', 'set', 'ship', '--allow');
  session.model.release('approval');
  await session.finish();

  const denied = cell('denied');
  denied.sent('the model is told that the gate blocks', /ship/.test(first?.text) && /block/.test(first?.text), first);
  denied.sent('the model is told how to settle it', /ckpt gate/.test(first?.text), first);
  denied.state('nothing was pushed before the approval', !pushedTooEarly);
  const heard = world.hookLog().map((line) => line.event);
  denied.state(
    'ckpt was asked before the push',
    heard.some((event) => /^(PreToolUse|BeforeTool)$/.test(event)),
    heard,
  );
  denied.logged('the hook before the command ran', session.hooks('beforeTool') > 0, session.hooks('beforeTool'));

  const allowed = cell('allowed');
  const second = session.results()[1];
  allowed.sent('the model is not told that anything blocks', second && !/block/.test(second.text), second);
  const isThere = await isPushed(world);
  allowed.state('the commit is at the remote since the approval', isThere && !pushedTooEarly, {
    pushedTooEarly,
    isThere,
  });
  allowed.logged('the hooks after the command ran', session.hooks('afterTool') > 0, session.hooks('afterTool'));
  allowed.logged('hooks ran, and none failed', session.hooksAreWell(), session.failedHooks());
}

async function isPushed(world) {
  const [here, there] = [await world.git('rev-parse', 'HEAD'), await world.git('ls-remote', 'origin', 'main')];
  return there.startsWith(here.trim());
}
