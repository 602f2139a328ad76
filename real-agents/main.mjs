// Drives real coding agents through lives, and prints what held in a table. See options.mjs for the command line.

import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { installClients, versionOf } from './install.mjs';
import { Mistake, USAGE, readOptions } from './options.mjs';
import { Payloads } from './report/payloads.mjs';
import { Results } from './report/results.mjs';
import { partsOf, tableOf, writeTable } from './report/table.mjs';
import { canLive, runLife } from './run.mjs';
import { Fence } from './world/fence.mjs';
import { endAll } from './world/processes.mjs';
import { removeAll } from './world/world.mjs';

const source = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(source);
const target = path.resolve(root, process.env.CARGO_TARGET_DIR ?? 'target');

async function main() {
  const options = readOptions(process.argv.slice(2), target);
  if (options.help) return console.log(USAGE);

  // A missing mark is better found before the lives than after them.
  if (options.write) partsOf(options.write);
  const programs = await installClients(source, path.join(target, 'real-agents'));
  const fence = await Fence.start();
  const tools = { binary: options.binary, programs, fence, plugin: path.join(root, 'plugin') };
  const results = new Results();
  const payloads = options.record && new Payloads();
  for (const client of options.clients) {
    for (const life of options.lives.filter((life) => canLive(client, life))) {
      process.stdout.write(`${client.title}: ${life.title}`);
      const kept = await runLife({ life, client, results, tools, keep: options.keep, payloads });
      console.log(kept ? ` (${kept})` : '');
    }
  }
  fence.stop();

  const { clients, lives } = options;
  const table = tableOf({ results, clients, lives, versionOf: (client) => versionOf(source, client) });
  console.log(`\n${table}`);
  if (fence.refused.size > 0) console.log(`\nTried to reach, and did not: ${[...fence.refused].sort().join(', ')}`);
  if (options.write) writeTable(options.write, table);
  payloads?.write(options.record);
  process.exitCode = results.failures ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
process.once('exit', () => {
  endAll();
  removeAll();
});

try {
  await main();
} catch (error) {
  if (!(error instanceof Mistake)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 2;
}
