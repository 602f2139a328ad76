// The skills that `ckpt init --skills` writes are offered to the model.

import { say } from '../models/script.mjs';

export const title = 'skills';

export const rows = ['skills'];

export async function live({ client, world, cell, begin }) {
  await world.ckpt('init', '--agent', client.name, '--skills');
  await world.commit('Set up ckpt');
  const session = await begin({ lead: [[say('I only look.')]] });
  await session.finish();

  const skills = cell('skills');
  const [first] = session.requests();
  const offered = JSON.stringify(first ?? {});
  for (const name of ['ckpt-resume', 'ckpt-implement']) {
    skills.sent(`${name} is offered to the model`, offered.includes(name), offered.slice(0, 400));
  }
  skills.state('nothing is recorded for that', world.history('task_completed').length === 0);
  skills.logged('hooks ran, and none failed', session.hooksAreWell(), session.failedHooks());
}
