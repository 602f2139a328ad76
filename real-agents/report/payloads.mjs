// One payload of every kind that clients sent to hooks, without anything that differs from run to run.

import fs from 'node:fs';
import path from 'node:path';

import { recorded } from '../world/recorder.mjs';

export class Payloads {
  #kinds = new Map();

  /** Keeps the first payload of each kind that a client sent in a world. */
  collect(client, world) {
    if (!this.#kinds.has(client.name)) this.#kinds.set(client.name, new Map());
    const kinds = this.#kinds.get(client.name);
    for (const payload of recorded(world)) {
      const kind = kindOf(payload);
      if (!kinds.has(kind)) kinds.set(kind, anonymous(payload, world));
    }
  }

  /** Writes a file for each client. */
  write(folder) {
    fs.mkdirSync(folder, { recursive: true });
    for (const [name, kinds] of this.#kinds) {
      const sorted = Object.fromEntries([...kinds].sort(([a], [b]) => (a < b ? -1 : 1)));
      fs.writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify(sorted, null, 2)}\n`);
    }
  }
}

/** The name of the event, and what tells it from others with that name. */
function kindOf(payload) {
  // Copilot CLI leaves out the name when a sub-agent begins.
  const name = payload.hook_event_name ?? 'SubagentStart (unnamed)';
  const inAgent = payload.agent_id && !/^Subagent/.test(name);
  return [
    name,
    payload.tool_name ??
      payload.source ??
      payload.reason ??
      payload.trigger ??
      payload.prompt?.match(/^<([\w-]+)>/)?.[1],
    payload.background_tasks?.length > 0 && !inAgent && 'with background tasks',
    hasFailed(payload) && 'failed',
    payload.stop_hook_active && 'again',
    inAgent && 'in a sub-agent',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Whether the payload is about a command that failed. */
const hasFailed = ({ tool_response, tool_result }) =>
  /exit(ed with)? code:? [1-9]/i.test(JSON.stringify(tool_response ?? tool_result ?? ''));

/** The ids that are numbered first, so that a session is number 1 in every payload. */
const IDS = ['session_id', 'sessionId', 'agent_id', 'parent_agent_id', 'prompt_id', 'turn_id', 'tool_use_id'];

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** How Claude Code names a sub-agent. */
const AGENT_ID = /\ba[0-9a-f]{16}\b/g;

function anonymous(payload, world) {
  const slug = (text) => text.replace(/[^A-Za-z0-9]/g, '-');
  const text = JSON.stringify(payload);
  const ids = new Set([
    ...IDS.map((name) => payload[name]).filter(Boolean),
    ...(text.match(UUID) ?? []),
    ...(text.match(AGENT_ID) ?? []),
  ]);
  let stable = text.replaceAll(world.root, '/zoo').replaceAll(slug(world.root), slug('/zoo'));
  [...ids].forEach((id, at) => (stable = stable.replaceAll(id, numbered(id, at + 1))));
  stable = RUN_SPECIFIC.reduce((text, [pattern, fixed]) => text.replace(pattern, fixed), stable);
  return JSON.parse(stable);
}

/** An id of the same form: its prefix, if it has one, and a number. */
function numbered(id, number) {
  const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  if (id.match(UUID)) return id.replace(UUID, uuid);
  const prefix = id.match(/^[a-z]+_/)?.[0];
  return prefix ? `${prefix}${number}` : `a${String(number).padStart(id.length - 1, '0')}`;
}

/** What else differs from run to run, in JSON. */
const RUN_SPECIFIC = [
  [/session-[\dT-]{16}-[0-9a-f]{8}\b/g, 'session-2026-01-01T00-00-00000000'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-01T00:00:00.000Z'],
  [/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d/g, '2026-01-01T00-00-00'],
  [/\/\d{4}\/\d\d\/\d\d\//g, '/2026/01/01/'],
  [/"timestamp":\d+/g, '"timestamp":1767225600000'],
  [/"(\w*duration_?ms)":\d+/gi, '"$1":1'],
  [/<duration_ms>\d+</g, '<duration_ms>1<'],
  [/toolu_\d+_\d+|call_\d+_\d+/g, 'call_1'],
  [/\/claude-\d+\//g, '/claude-1000/'],
  [/PGID: \d+/g, 'PGID: 1'],
  [/Chunk ID: \w+/g, 'Chunk ID: 000000'],
  [/Wall time: [\d.]+/g, 'Wall time: 0.0'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:1'],
];
