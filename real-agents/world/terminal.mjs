// The terminal interface of a client, as a person sees it and types into it.

import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { pause, until } from './processes.mjs';

const BRIDGE = path.join(path.dirname(fileURLToPath(import.meta.url)), 'terminal.py');

/** How a program is started in a terminal. */
export const inTerminal = (program, args) => ({ program: 'python3', args: [BRIDGE, program, ...args] });

/** What moves the cursor, sets colours or names the window. */
const ESCAPES = /\x1b\[[0-9;?<>= ]*[a-zA-Z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[=>()78][AB0]?/g;

/** How long a program may take to draw something, in milliseconds. */
const LIMIT = 20_000;

export class Terminal {
  #child;

  constructor(child) {
    this.#child = child;
  }

  /** All that was shown since the start, with one space for whatever is between two words. */
  get text() {
    return fs.readFileSync(this.#child.output, 'utf8').replace(ESCAPES, ' ').replace(/\s+/g, ' ');
  }

  /** Waits until something is shown. */
  async shows(pattern, limit = LIMIT) {
    if (await until(() => pattern.test(this.text), limit)) return;
    throw new Error(`the terminal never showed ${pattern}: ${this.text.slice(-400)}`);
  }

  /** Types, and waits until that is shown. A program that is still drawing may miss a key, so it is pressed again. */
  async press(key, pattern) {
    for (let left = LIMIT / 1000; left > 0 && !pattern.test(this.text); left--) {
      this.#child.type(key);
      await until(() => pattern.test(this.text), 1000);
    }
    await this.shows(pattern, 0);
  }

  /** Types a line and enters it. */
  async enter(line, shown = line) {
    this.#child.type(line);
    await this.shows(new RegExp(shown.replace(/[^\w ]/g, '\\$&')));
    // What comes faster than a person types is taken for a pasted text, and its end for a part of it.
    await pause(500);
    this.#child.type('\r');
  }
}
