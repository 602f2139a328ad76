// The plugin does what the hooks in the settings do; with both, everything still happens once.

import { briefs } from '../world/session.mjs';
import { checkSentBackOnce, turns } from './handoff.mjs';

export const title = 'plugin alone';

export const rows = ['plugin'];

export async function live({ client, world, cell, begin, plugin }) {
  await checkOnce(cell('plugin'), { client, world, begin, plugin });
}

/** A session in which a handoff is sent back has one brief and one objection. */
export async function checkOnce(once, { client, world, begin, plugin }) {
  const session = await begin(turns(client, world), { plugin });
  await session.finish();
  once.sent('the model is given one brief', briefs(session.told()) === 1, briefs(session.told()));
  checkSentBackOnce(once, { world, session });
  const refused = ['lead', 'keeper']
    .flatMap((conversation) => session.results(conversation))
    .filter((result) => result.failed);
  once.sent('no call is refused', refused.length === 0, refused);
  const record = world.sessions().at(-1);
  once.state('one prompt is counted', record.prompts === 1, record);
  once.state('the session said goodbye', record.goodbye_at, record);
}
