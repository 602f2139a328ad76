// The table: what happens × client.

import fs from 'node:fs';

import { Mistake } from '../options.mjs';
import { ROWS } from './rows.mjs';

const BEGIN = '<!-- real-agents:begin -->';
const END = '<!-- real-agents:end -->';

/** The table as Markdown, with the reasons of every ✗ and of every event that a client does not have. */
export function tableOf({ results, clients, lives, versionOf }) {
  const notes = [];
  const chosen = new Set(lives.flatMap((life) => life.rows));
  const filled = Object.entries(ROWS).filter(([row]) => chosen.has(row));
  const rows = filled.map(([row, title]) => [title, ...clients.map((client) => cellOf(client, row))]);
  const table = aligned([['', ...clients.map((client) => `${client.title} ${versionOf(client)}`)], ...rows]);
  return [table, ...(notes.length > 0 ? [notes.join('\n')] : [])].join('\n\n');

  function cellOf(client, row) {
    if (row in client.lacks) return `no such event ${noted(client.lacks[row])}`;
    const cell = results.find(client, row);
    if (!cell) return '';
    return cell.failures.length === 0 ? '✓' : `✗ ${noted(`${client.title}: ${cell.failures.join('\n    ')}`)}`;
  }

  /** The mark of a note; equal notes share one. */
  function noted(text) {
    const line = (number) => `${number}. ${text}`;
    const at = notes.findIndex((note, index) => note === line(index + 1));
    const number = at < 0 ? notes.length + 1 : at + 1;
    if (at < 0) notes.push(line(number));
    return `(${number})`;
  }
}

function aligned([head, ...rows]) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length), 3));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Puts the table between the marks of a Markdown file. */
export function writeTable(file, table) {
  const { before, after } = partsOf(file);
  fs.writeFileSync(file, `${before}\n${table}\n${after}`);
}

/** What stands around the table in a Markdown file: up to the first mark, and from the second one on. */
export function partsOf(file) {
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Mistake(`${file} has no ${BEGIN} … ${END}. Add both marks where the table belongs`);
  return { before: text.slice(0, begin + BEGIN.length), after: text.slice(end) };
}
