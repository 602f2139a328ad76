// Copilot CLI also reads the settings of Claude Code, and both can load the plugin: three sources of the same hooks.

import { checkOnce } from './plugin.mjs';

export const title = "Claude's hooks, Copilot's hooks and the plugin";

export const rows = ['allTogether'];

export async function live({ client, world, cell, begin, plugin }) {
  await world.install('claude', 'copilot');
  await checkOnce(cell('allTogether'), { client, world, begin, plugin });
}
