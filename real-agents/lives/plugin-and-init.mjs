// The plugin and the hooks in the settings report every event twice; each is acted on once.

import { checkOnce } from './plugin.mjs';

export const title = 'plugin and init';

export const rows = ['pluginAndInit'];

export async function live({ client, world, cell, begin, plugin }) {
  await world.install(client.name);
  await checkOnce(cell('pluginAndInit'), { client, world, begin, plugin });
}
