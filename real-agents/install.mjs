// The clients themselves, at the versions in package-lock.json, in cargo's target folder.

import fs from 'node:fs';
import path from 'node:path';

import { Mistake } from './options.mjs';
import { run } from './world/processes.mjs';

const PINS = ['package.json', 'package-lock.json'];

/** Installs the clients where they are missing or differ from the pins. Returns the folder of their programs. */
export async function installClients(source, folder) {
  const programs = path.join(folder, 'node_modules', '.bin');
  if (isCurrent(source, folder)) return programs;
  console.log('Installing the clients…');
  fs.mkdirSync(folder, { recursive: true });
  for (const pin of PINS) fs.copyFileSync(path.join(source, pin), path.join(folder, pin));
  const { code, stderr } = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    timeout: 600_000,
  });
  if (code !== 0) {
    throw new Mistake(
      `npm could not install the clients: ${stderr.trim().split('\n')[0]}. Check the network, then try again`,
    );
  }
  fs.writeFileSync(stamp(folder), pinsOf(source));
  return programs;
}

/** Written last, so that an installation that broke off is not taken for a whole one. */
const stamp = (folder) => path.join(folder, 'installed');

const pinsOf = (source) => fs.readFileSync(path.join(source, 'package-lock.json'), 'utf8');

const isCurrent = (source, folder) =>
  fs.existsSync(stamp(folder)) && fs.readFileSync(stamp(folder), 'utf8') === pinsOf(source);

/** The pinned version of a client. */
export function versionOf(source, client) {
  return JSON.parse(fs.readFileSync(path.join(source, 'package.json'), 'utf8')).dependencies[client.package];
}
