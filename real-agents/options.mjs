// The command line.

import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { CLIENTS } from './clients/index.mjs';
import { LIVES } from './lives/index.mjs';

export const USAGE = `usage: scripts/real-agents [OPTION]…

Drives real coding agents through sessions on scripted models, and checks what ckpt told them and recorded.

  --client NAME  only this client: ${CLIENTS.map((client) => client.name).join(', ')}
  --life NAME    only this life: ${Object.keys(LIVES).join(', ')}
  --binary PATH  the ckpt to try; by default target/dist/ckpt, else target/release/ckpt
  --write FILE   put the table into a Markdown file, between its real-agents marks
  --record DIR   write one payload of each kind that the clients sent to hooks
  --keep         keep the repositories, homes and logs, and print where they are`;

/** A mistake of the user, with the next step. */
export class Mistake extends Error {}

/** What the user asked for. `target` is cargo's target folder. */
export function readOptions(argv, target) {
  let values;
  try {
    ({ values } = parseArgs({
      args: argv,
      options: {
        client: { type: 'string', multiple: true },
        life: { type: 'string', multiple: true },
        binary: { type: 'string' },
        write: { type: 'string' },
        record: { type: 'string' },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }));
  } catch (error) {
    throw new Mistake(`${error.message.split('. ')[0]}. See scripts/real-agents --help`);
  }
  if (values.write && (values.client || values.life)) {
    throw new Mistake('--write needs the whole table. Leave out --client and --life');
  }
  const known = new Map(CLIENTS.map((client) => [client.name, client]));
  return {
    ...values,
    clients: chosen('client', values.client, known),
    lives: chosen('life', values.life, new Map(Object.entries(LIVES))),
    binary: values.help ? undefined : binaryAt(values.binary, target),
  };
}

function chosen(what, names, known) {
  for (const name of names ?? []) {
    if (!known.has(name)) throw new Mistake(`unknown ${what} "${name}". Use one of: ${[...known.keys()].join(', ')}`);
  }
  return [...known].filter(([name]) => !names || names.includes(name)).map(([, value]) => value);
}

function binaryAt(given, target) {
  const places = given ? [given] : ['dist/ckpt', 'release/ckpt'].map((place) => path.join(target, place));
  const found = places.find((place) => fs.existsSync(place));
  if (!found) throw new Mistake(`no ckpt at ${places.join(' or ')}. Build it with: scripts/release`);
  return fs.realpathSync(found);
}
