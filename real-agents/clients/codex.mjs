import path from 'node:path';

import { responses } from '../models/responses.mjs';
import { call } from '../models/script.mjs';
import { inGroups } from '../world/recorder.mjs';
import { writeJson, writeText } from './files.mjs';
import { WITHOUT_PLUGIN } from './lacks.mjs';

const patch = (file, from, to) => `*** Begin Patch\n*** Update File: ${file}\n@@\n-${from}\n+${to}\n*** End Patch\n`;

/** Its models call tools from a piece of JavaScript. */
const script = (tool, input) => call('exec', `text(await tools.${tool}(${JSON.stringify(input)}));`);

const collaboration = (tool, input) => call(tool, input, { namespace: 'collaboration' });

export const codex = {
  name: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  program: 'codex',
  protocol: responses,
  writesTranscriptInTime: true,

  lacks: WITHOUT_PLUGIN,

  events: {
    sessionStart: 'SessionStart',
    prompt: 'UserPromptSubmit',
    beforeTool: 'PreToolUse',
    afterTool: 'PostToolUse',
    afterFailure: 'PostToolUse',
    agentStart: 'SubagentStart',
    agentStop: 'SubagentStop',
    stop: 'Stop',
    compaction: 'PreCompact',
    sessionEnd: 'SessionEnd',
  },

  isCompaction: ({ items }) => /context checkpoint compaction/i.test(items.at(-1)?.text ?? ''),

  look: () => [],

  shell: (command) => script('exec_command', { cmd: command }),

  editors: {
    apply_patch: (file, from, to) => script('apply_patch', patch(file, from, to)),
    // Older models call it directly.
    'apply_patch (direct)': (file, from, to) => call('apply_patch', patch(file, from, to)),
  },

  agentType: 'default',

  // Every sub-agent works in the background; the lead may wait.
  delegate: (prompt, { background = false } = {}) => [
    [collaboration('spawn_agent', { task_name: 'helper', message: prompt, fork_turns: 'none' })],
    ...(background ? [] : codex.waitForAgents()),
  ],

  waitForAgents: () => [[collaboration('wait_agent', { timeout_ms: 20_000 })]],

  prepare(world, { recorder }) {
    const hook = { type: 'command', command: recorder, timeout: 3 };
    const events = new Set([...Object.values(this.events), 'PostCompact']);
    writeJson(path.join(world.home, '.codex/hooks.json'), { hooks: recorder ? inGroups([...events], hook) : {} });
    const project = `\n[projects.${JSON.stringify(world.repo)}]\ntrust_level = "trusted"\n`;
    writeText(path.join(world.home, '.codex/config.toml'), CONFIG + project);
  },

  command({ session, prompt, resume }) {
    return {
      args: [
        ...['exec', '-c', `model_providers.scripted.base_url="${session.model.url}/v1"`],
        // Hooks are trusted in the terminal interface, which asks; a run without it skips those that are not.
        ...['--dangerously-bypass-hook-trust', '--sandbox', 'workspace-write'],
        ...(resume ? ['resume', '--last'] : []),
        prompt,
      ],
      env: { SCRIPTED_KEY: 'dummy', RUST_LOG: HOOK_LOG },
    };
  },

  hookRuns(session) {
    const { output } = session;
    const failed = [...output.matchAll(/^hook: (\w+) Failed.*$/gm)].map(([detail, event]) => ({
      event,
      ok: false,
      detail,
    }));
    const pipes = [...output.matchAll(/hook\.event_name="(\w+)".* hook\.source="project".*: mio::poll: registering/g)];
    // Each hook has three pipes: standard input, output and error.
    const ran = pipes.filter((_, at) => at % 3 === 0).map(([, event]) => ({ event, ok: true }));
    return [...failed, ...ran];
  },
};

/**
 * Its output leaves out the hooks of sub-agents and of the end. The only trace of them is that their pipes are opened,
 * and in which span.
 */
const HOOK_LOG = 'off,codex_hooks=trace,mio::poll=trace';

const CONFIG = `model_provider = "scripted"
model_auto_compact_token_limit = 150000
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
apps = false
daemon_auto_start = false
enable_request_compression = false
plugins = false
`;
