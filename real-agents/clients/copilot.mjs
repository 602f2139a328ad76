import fs from 'node:fs';
import path from 'node:path';

import { anthropic } from '../models/anthropic.mjs';
import { call } from '../models/script.mjs';
import { jsonLines, textOf, writeJson } from './files.mjs';
import { WITHOUT_DAEMON } from './lacks.mjs';
import { definitionIn } from './mcp.mjs';

/** The events that a hook may be registered for; its log has other names for them. */
const REGISTERED = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'PreCompact',
  'ErrorOccurred',
  'Notification',
];

const mcpName = (tool) => `ckpt-${tool}`;

export const copilot = {
  name: 'copilot',
  title: 'Copilot CLI',
  package: '@github/copilot',
  program: 'copilot',
  protocol: anthropic,
  // What was said last reaches its transcript only after the hook of the end of the session has returned.
  writesTranscriptInTime: false,

  lacks: WITHOUT_DAEMON,

  events: {
    sessionStart: 'sessionStart',
    prompt: 'userPromptSubmitted',
    beforeTool: 'preToolUse',
    afterTool: 'postToolUse',
    afterFailure: 'postToolUse',
    agentStart: 'subagentStart',
    agentStop: 'subagentStop',
    stop: 'agentStop',
    compaction: 'preCompact',
    sessionEnd: 'sessionEnd',
  },

  isCompaction: ({ items }) => /^Please create a detailed summary of the conversation/.test(items.at(-1)?.text ?? ''),

  look: (file) => [[call('view', { path: file })]],

  shell: (command) => call('bash', { command, description: 'Works on the plan' }),

  editors: {
    edit: (file, from, to) => call('edit', { path: file, old_str: from, new_str: to }),
    // It creates a file only where there is none.
    create(file, from, to) {
      const text = textOf(file).replace(from, to);
      fs.rmSync(file);
      return call('create', { path: file, file_text: text });
    },
  },

  agentType: 'general-purpose',

  delegate: (prompt, { background = false } = {}) => [
    [
      call('task', {
        agent_type: 'general-purpose',
        name: 'helper',
        description: 'Feeds an animal',
        prompt,
        mode: background ? 'background' : 'sync',
      }),
    ],
  ],

  mcp: {
    find: () => [],
    call: (tool, input) => call(mcpName(tool), input),
    definition: (request, tool) => definitionIn(request, mcpName(tool)),

    runs(session) {
      const of = (type) => eventsOf(session).filter((event) => event.type === type).map(({ data }) => data);
      const begun = of('tool.execution_start').filter((call) => call.mcpServerName === 'ckpt');
      const ended = new Map(of('tool.execution_complete').map((call) => [call.toolCallId, call]));
      return begun.map((call) => ({ tool: call.mcpToolName, ok: ended.get(call.toolCallId)?.success }));
    },
  },

  prepare(world, { recorder }) {
    writeJson(path.join(world.home, '.copilot/config.json'), { trustedFolders: [world.repo] });
    if (!recorder) return;
    const hook = { type: 'command', bash: recorder, timeoutSec: 10 };
    const hooks = Object.fromEntries(REGISTERED.map((event) => [event, [hook]]));
    writeJson(path.join(world.home, '.copilot/hooks/recorder.json'), { version: 1, hooks });
  },

  command({ world, session, prompt, resume, plugin }) {
    return {
      args: [
        ...['-p', prompt, '--allow-all-tools', '--log-dir', path.join(world.logs, session.name), '--log-level', 'all'],
        ...(resume ? ['--continue'] : []),
        ...(plugin ? ['--plugin-dir', plugin] : []),
      ],
      env: {
        COPILOT_OFFLINE: 'true',
        COPILOT_AUTO_UPDATE: 'false',
        COPILOT_PROVIDER_TYPE: 'anthropic',
        COPILOT_PROVIDER_BASE_URL: session.model.url,
        COPILOT_PROVIDER_API_KEY: 'dummy',
        COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '200000',
        COPILOT_MODEL: 'claude-sonnet-4.5',
      },
    };
  },

  hookRuns(session) {
    const ends = eventsOf(session).filter((event) => event.type === 'hook.end');
    return ends.map(({ data }) => ({
      event: data.hookType,
      ok: data.success,
      detail: JSON.stringify(data.error ?? ''),
    }));
  },
};

/** What it logged in a session. */
function eventsOf(session) {
  const folder = path.join(session.world.home, '.copilot/session-state');
  const files = fs
    .readdirSync(folder)
    .map((id) => path.join(folder, id, 'events.jsonl'))
    .filter(fs.existsSync);
  return files.flatMap((file) => jsonLines(textOf(file))).filter((event) => session.covers(event.timestamp));
}
