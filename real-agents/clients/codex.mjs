import path from 'node:path';

import { responses } from '../models/responses.mjs';
import { call } from '../models/script.mjs';
import { inGroups } from '../world/recorder.mjs';
import { jsonLines, textOf, writeJson, writeText } from './files.mjs';
import { WITHOUT_PLUGIN } from './lacks.mjs';

const patch = (file, from, to) => `*** Begin Patch\n*** Update File: ${file}\n@@\n-${from}\n+${to}\n*** End Patch\n`;

/** Its models call tools from a piece of JavaScript. */
const script = (tool, input) => call('exec', `text(await tools.${tool}(${JSON.stringify(input)}));`);

const mcpName = (tool) => `mcp__ckpt__${tool}`;

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

  // The terminal interface wants a title for each conversation.
  isAside: ({ items }) => /^Generate a concise, single-line task title/.test(items.at(-1)?.text ?? ''),

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

  mcp: {
    // The model is given no definitions; it looks them up in a list.
    find(...tools) {
      const names = JSON.stringify(tools.map(mcpName));
      return [[call('exec', `ALL_TOOLS.filter((tool) => ${names}.includes(tool.name)).forEach(text);`)]];
    },
    call: (tool, input) => script(mcpName(tool), input),
    definition: ({ items }, tool) =>
      items
        .filter((item) => item.from === 'tool')
        .flatMap((item) => jsonLines(item.text))
        .find((entry) => entry.name === mcpName(tool)),

    runs(session) {
      const ends = [...session.output.matchAll(/^mcp: ckpt\/(\w+) \((completed|failed)\)/gm)];
      return ends.map(([, tool, ending]) => ({ tool, ok: ending === 'completed' }));
    },
  },

  terminal: {
    // Shown below the line in which one types.
    ready: / default · \//,
    asksTrust: /Hooks need review/,

    async trust(terminal) {
      await terminal.shows(/3\. Continue without trusting/);
      await terminal.press('2', /› 2\. Trust all and continue/);
      await terminal.press('\r', codex.terminal.ready);
    },

    async quit(terminal) {
      await terminal.enter('/quit', 'exit Codex');
    },

    /** The hooks of the repository: the event, and the places in its lists. */
    installed(world) {
      const { hooks } = JSON.parse(textOf(hooksFile(world)));
      const keys = Object.entries(hooks).flatMap(([event, groups]) =>
        groups.flatMap((group, at) => group.hooks.map((_, place) => `${snakeCase(event)}:${at}:${place}`)),
      );
      return keys.sort();
    },

    /** Those of them that the user trusts. */
    trusted(world) {
      const key = `[hooks.state."${hooksFile(world)}:`;
      const sections = textOf(configFile(world)).split(/\n(?=\[)/);
      return sections
        .filter((section) => section.startsWith(key) && /^trusted_hash = "sha256:[0-9a-f]{64}"$/m.test(section))
        .map((section) => section.slice(key.length, section.indexOf('"]')))
        .sort();
    },
  },

  prepare(world, { recorder, terminal }) {
    const hook = { type: 'command', command: recorder, timeout: 3 };
    const events = new Set([...Object.values(this.events), 'PostCompact']);
    writeJson(path.join(world.home, '.codex/hooks.json'), { hooks: recorder ? inGroups([...events], hook) : {} });
    const project = `\n[projects.${JSON.stringify(world.repo)}]\ntrust_level = "trusted"\n`;
    writeText(configFile(world), (terminal ? CONFIG.replace(NO_DAEMON, '') : CONFIG) + project);
  },

  command({ world, session, prompt, resume, terminal, bypassTrust = true }) {
    const env = { SCRIPTED_KEY: 'dummy', RUST_LOG: HOOK_LOG };
    if (terminal) {
      // With settings on the command line it would do without its daemon.
      const config = textOf(configFile(world)).replace(BASE_URL, `$1base_url = "${session.model.url}/v1"\n`);
      writeText(configFile(world), config);
      return { args: ['--sandbox', 'workspace-write'], env: { ...env, TERM: 'xterm-256color' } };
    }
    return {
      args: [
        ...['exec', '-c', `model_providers.scripted.base_url="${session.model.url}/v1"`],
        // Hooks are trusted in the terminal interface, which asks; a run without it skips those that are not.
        ...(bypassTrust ? ['--dangerously-bypass-hook-trust'] : []),
        ...['--sandbox', 'workspace-write'],
        ...(resume ? ['resume', '--last'] : []),
        prompt,
      ],
      env,
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

const hooksFile = (world) => path.join(world.repo, '.codex/hooks.json');

const snakeCase = (name) => name.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase();

const configFile = (world) => path.join(world.home, '.codex/config.toml');

const NO_DAEMON = 'daemon_auto_start = false\n';

/** Where the address of the model is or belongs. */
const BASE_URL = /^(\[model_providers\.scripted\]\n)(base_url.*\n)?/m;

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
${NO_DAEMON}enable_request_compression = false
plugins = false
`;
