// Files that clients read and write.

import fs from 'node:fs';
import path from 'node:path';

export const textOf = (file) => fs.readFileSync(file, 'utf8');

/** Writes a file, and the folders above it. */
export function writeText(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

export const writeJson = (file, value) => writeText(file, `${JSON.stringify(value, null, 2)}\n`);

/** The lines of a text that are JSON objects. */
export function jsonLines(text) {
  return text.split('\n').flatMap((line) => {
    try {
      return line.startsWith('{') ? [JSON.parse(line)] : [];
    } catch {
      return [];
    }
  });
}
