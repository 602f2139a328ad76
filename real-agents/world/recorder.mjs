// A second hook beside ckpt's, in the user's own settings of each client: keeps what the client sends to hooks.

import fs from 'node:fs';
import path from 'node:path';

/** The shell command that keeps one event. Clients run hooks at the same time, so each event gets a file. */
export const recorderCommand = (world) => `cat > "$(mktemp '${world.payloads}/XXXXXXXX')"`;

/** What a client sent to hooks, in order. */
export function recorded(world) {
  const files = fs.readdirSync(world.payloads).map((name) => path.join(world.payloads, name));
  const events = files.map((file) => ({ at: fs.statSync(file).mtimeMs, text: fs.readFileSync(file, 'utf8') }));
  return events.sort((a, b) => a.at - b.at).map(({ text }) => JSON.parse(text));
}

/** Settings in the form that Claude Code, Codex and Gemini CLI share: groups of handlers for each event. */
export const inGroups = (events, handler) => Object.fromEntries(events.map((event) => [event, [{ hooks: [handler] }]]));
