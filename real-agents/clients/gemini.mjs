import path from 'node:path';

import { gemini as protocol } from '../models/gemini.mjs';
import { call } from '../models/script.mjs';
import { inGroups } from '../world/recorder.mjs';
import { jsonLines, textOf, writeJson } from './files.mjs';
import { WITHOUT_DAEMON, WITHOUT_PLUGIN } from './lacks.mjs';
import { definitionIn } from './mcp.mjs';

const NO_AGENT_EVENTS = 'none of the hook events that it knows (HookEventName in its bundle) is about sub-agents';

const mcpName = (tool) => `mcp_ckpt_${tool}`;

export const gemini = {
  name: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  program: 'gemini',
  protocol,
  writesTranscriptInTime: true,

  lacks: {
    agent: NO_AGENT_EVENTS,
    background: 'the invoke_agent tool that it offers to models only waits',
    handoff: NO_AGENT_EVENTS,
    agentCrash: NO_AGENT_EVENTS,
    ...WITHOUT_PLUGIN,
    ...WITHOUT_DAEMON,
  },

  events: {
    sessionStart: 'SessionStart',
    prompt: 'BeforeAgent',
    beforeTool: 'BeforeTool',
    afterTool: 'AfterTool',
    afterFailure: 'AfterTool',
    stop: 'AfterAgent',
    sessionEnd: 'SessionEnd',
  },

  isCompaction: ({ items, tools }) => tools.length === 0 && /state_snapshot/.test(items[0]?.text ?? ''),

  look: (file) => [[call('read_file', { file_path: file })]],

  shell: (command) => call('run_shell_command', { command, description: 'Works on the plan' }),

  editors: {
    replace: (file, from, to) =>
      call('replace', { file_path: file, instruction: 'Tick the task.', old_string: from, new_string: to }),
    write_file: (file, from, to) => call('write_file', { file_path: file, content: textOf(file).replace(from, to) }),
  },

  // It can only cut a conversation before a prompt of the user.
  compactsAtPrompt: true,

  agentType: 'generalist',

  delegate: (prompt) => [[call('invoke_agent', { agent_name: 'generalist', prompt })]],

  mcp: {
    find: () => [],
    call: (tool, input) => call(mcpName(tool), input),
    definition: (request, tool) => definitionIn(request, mcpName(tool)),

    runs(session) {
      // Every change of a call is published; its end is published more than once.
      const updates = [...session.output.matchAll(/^\[MESSAGE_BUS\] publish: (\{"type":"tool-calls-update".*)$/gm)];
      const calls = updates.flatMap(([, update]) => jsonLines(update)).flatMap((update) => update.toolCalls);
      const ended = calls.filter(({ status }) => /success|error/.test(status));
      const last = new Map(ended.map((call) => [call.request.callId, call]));
      return [...last.values()].map(({ status, request }) => ({
        tool: request.name.replace(mcpName(''), ''),
        ok: status === 'success',
      }));
    },
  },

  prepare(world, { recorder, smallWindow }) {
    const hook = { name: 'recorder', type: 'command', command: recorder, timeout: 10_000 };
    const events = new Set([...Object.values(this.events), 'PreCompress', 'Notification']);
    writeJson(path.join(world.home, '.gemini/settings.json'), {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      // It compacts by the size that it estimates, not by what the model reports.
      ...(smallWindow && { model: { compressionThreshold: 0.001 } }),
      hooks: recorder ? inGroups([...events], hook) : {},
    });
  },

  command({ session, prompt, resume }) {
    return {
      args: [
        ...(resume ? ['--resume', 'latest'] : []),
        '-p',
        prompt,
        '--approval-mode',
        'yolo',
        '--model',
        'gemini-2.5-pro',
        '--debug',
      ],
      env: {
        GEMINI_API_KEY: 'dummy',
        GOOGLE_GEMINI_BASE_URL: session.model.url,
        // With --skip-trust the hooks of a project are dropped.
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
    };
  },

  hookRuns(session) {
    const lines = [...session.output.matchAll(/Hook execution for (\w+): (.*)/g)];
    return lines.map(([detail, event, ending]) => ({
      event,
      ok: /^\d+ hooks? executed successfully/.test(ending),
      detail,
    }));
  },
};
