import fs from 'node:fs';
import path from 'node:path';

import { anthropic } from '../models/anthropic.mjs';
import { call } from '../models/script.mjs';
import { inGroups } from '../world/recorder.mjs';
import { jsonLines, textOf, writeJson } from './files.mjs';
import { WITHOUT_DAEMON } from './lacks.mjs';
import { definitionIn } from './mcp.mjs';

const logFile = (world, session) => path.join(world.logs, `${session.name}.debug`);

const mcpName = (tool) => `mcp__ckpt__${tool}`;

export const claude = {
  name: 'claude',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  program: 'claude',
  protocol: anthropic,
  writesTranscriptInTime: true,

  lacks: WITHOUT_DAEMON,

  events: {
    sessionStart: 'SessionStart',
    prompt: 'UserPromptSubmit',
    beforeTool: 'PreToolUse',
    afterTool: 'PostToolUse',
    afterFailure: 'PostToolUseFailure',
    agentStart: 'SubagentStart',
    agentStop: 'SubagentStop',
    stop: 'Stop',
    compaction: 'PreCompact',
    sessionEnd: 'SessionEnd',
  },

  isCompaction: ({ items }) => /create a detailed summary|respond with text only/i.test(items.at(-1)?.text ?? ''),

  // It edits only files that it has read.
  look: (file) => [[call('Read', { file_path: file })]],

  shell: (command) => call('Bash', { command, description: 'Works on the plan' }),

  editors: {
    Edit: (file, from, to) => call('Edit', { file_path: file, old_string: from, new_string: to }),
    Write: (file, from, to) => call('Write', { file_path: file, content: textOf(file).replace(from, to) }),
  },

  agentType: 'general-purpose',

  delegate: (prompt, { background = false } = {}) => [
    [
      call('Agent', {
        description: 'Feeds an animal',
        subagent_type: 'general-purpose',
        prompt,
        run_in_background: background,
      }),
    ],
  ],

  mcp: {
    // The model is given the definitions of the tools that it searches for.
    find: (...tools) => [[call('ToolSearch', { query: `select:${tools.map(mcpName)}`, max_results: tools.length })]],
    call: (tool, input) => call(mcpName(tool), input),
    definition: (request, tool) => definitionIn(request, mcpName(tool)),

    runs(session) {
      const log = fs.readFileSync(logFile(session.world, session), 'utf8');
      const ends = [...log.matchAll(/MCP server "ckpt": Tool '(\w+)' (completed|failed)/g)];
      return ends.map(([, tool, ending]) => ({ tool, ok: ending === 'completed' }));
    },
  },

  prepare(world, { recorder }) {
    const hook = { type: 'command', command: recorder, timeout: 10 };
    const hooks = recorder
      ? inGroups([...Object.values(this.events), 'PostCompact', 'Notification', 'StopFailure'], hook)
      : {};
    writeJson(path.join(world.home, '.claude/settings.json'), { hooks });
  },

  command({ world, session, prompt, resume, plugin, mcp }) {
    return {
      args: [
        ...['-p', prompt, '--permission-mode', 'acceptEdits'],
        ...['--output-format', 'stream-json', '--verbose', '--include-hook-events'],
        ...(resume ? ['--continue'] : []),
        ...(plugin ? ['--plugin-dir', plugin] : []),
        ...['--debug-file', logFile(world, session), '--allowedTools', 'Bash', 'Agent', 'mcp__ckpt'],
      ],
      env: {
        ANTHROPIC_BASE_URL: session.model.url,
        ANTHROPIC_API_KEY: 'dummy',
        DISABLE_TELEMETRY: '1',
        DISABLE_ERROR_REPORTING: '1',
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000',
        // As with its own models. With others it gives every definition at once.
        ...(mcp && { ENABLE_TOOL_SEARCH: 'true' }),
      },
    };
  },

  hookRuns(session) {
    const answered = jsonLines(session.output).filter((line) => line.subtype === 'hook_response');
    const runs = answered.map((line) => ({
      event: line.hook_event,
      ok: line.outcome === 'success',
      detail: line.stderr,
    }));
    // Only the debug log has the hooks of a compaction, and those that run after the last output.
    const log = fs.readFileSync(logFile(session.world, session), 'utf8');
    const last = [...log.matchAll(/(PreCompact|SessionEnd):\w+ \[.*\] completed with status (\d+)/g)];
    return [...runs, ...last.map(([line, event, status]) => ({ event, ok: status === '0', detail: line }))];
  },
};
