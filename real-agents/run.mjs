// Lives: each in a fresh world, with what it checks noted in the cells of its rows.

import { Cell } from './report/results.mjs';
import { recorderCommand } from './world/recorder.mjs';
import { Session } from './world/session.mjs';
import { World } from './world/world.mjs';

/** Whether a client has what a life is about, which is its first row. */
export const canLive = (client, life) => !(life.rows[0] in client.lacks);

/** Runs one life of one client, and notes its results. Returns the folder of its world if that is kept. */
export async function runLife({ life, client, results, tools, keep, payloads }) {
  const rows = life.rows.filter((row) => !(row in client.lacks));
  // A row that the client lacks is not judged, though the life may have something to say about it.
  const cell = (row) => (rows.includes(row) ? results.cell(client, row) : new Cell());
  // From now on, a cell in which nothing is checked is a failure.
  rows.forEach(cell);
  const world = await World.create(tools);
  const sessions = [];
  try {
    const { smallWindow, terminal } = life;
    client.prepare(world, { recorder: payloads && recorderCommand(world), smallWindow, terminal });
    await life.live({
      client,
      world,
      cell,
      plugin: tools.plugin,
      begin: async (turns, how) => {
        const session = await Session.begin(world, client, turns, how);
        sessions.push(session);
        return session;
      },
    });
  } catch (error) {
    for (const row of rows) cell(row).broken(error);
  } finally {
    for (const session of sessions) await session.crash();
    payloads?.collect(client, world);
  }
  return keep ? world.keep() : world.remove();
}
