// What was checked, and what came of it.

import { ROWS } from './rows.mjs';

/** Every cell needs a check of each kind: one that looks at a part only proves a part. */
export const KINDS = {
  sent: 'what the model was sent',
  state: 'what the state says',
  logged: 'what the client logged',
};

export class Results {
  #cells = new Map();

  /** The cell of a client and a row, which checks are added to. */
  cell(client, row) {
    if (!(row in ROWS)) throw new Error(`no such row: ${row}`);
    const key = `${client.name} ${row}`;
    if (!this.#cells.has(key)) this.#cells.set(key, new Cell());
    return this.#cells.get(key);
  }

  /** The cell, if anything was checked in it. */
  find(client, row) {
    return this.#cells.get(`${client.name} ${row}`);
  }

  get failures() {
    return [...this.#cells.values()].some((cell) => cell.failures.length > 0);
  }
}

/** The checks of one row for one client. */
export class Cell {
  #checks = [];

  /** A check of what the model was sent. */
  sent(sentence, holds, detail) {
    this.#add('sent', sentence, holds, detail);
  }

  /** A check of what ckpt recorded. */
  state(sentence, holds, detail) {
    this.#add('state', sentence, holds, detail);
  }

  /** A check of what the client logged. */
  logged(sentence, holds, detail) {
    this.#add('logged', sentence, holds, detail);
  }

  /** The life that fills this cell broke off. */
  broken(error) {
    this.#checks.push({ kind: 'life', sentence: error.message, holds: false });
  }

  #add(kind, sentence, holds, detail) {
    this.#checks.push({ kind, sentence, holds: Boolean(holds), detail });
  }

  /** Why this is not a ✓. */
  get failures() {
    const failed = this.#checks.filter((check) => !check.holds);
    if (failed.length > 0) return failed.map(({ sentence, detail }) => sentence + described(detail));
    const missing = Object.keys(KINDS).filter((kind) => !this.#checks.some((check) => check.kind === kind));
    return missing.map((kind) => `not checked: ${KINDS[kind]}`);
  }
}

function described(detail) {
  if (detail === undefined) return '';
  const text = typeof detail === 'string' ? detail : JSON.stringify(detail);
  return `; found: ${text.length > 400 ? `${text.slice(0, 400)}…` : text}`;
}
