// A model reaches ckpt through the MCP server that `ckpt init --mcp` registered: it finds the tools, asks, ticks and fails.

import { say } from '../models/script.mjs';
import { tick } from '../world/plan.mjs';
import { briefs } from '../world/session.mjs';

export const title = 'MCP server';

export const rows = ['mcp'];

/** What the definition of the plan tool has to offer. */
const ACTIONS = ['next', 'done', 'claim', 'note', 'block', 'unblock'];

export async function live({ client, world, cell, begin }) {
  await world.ckpt('init', '--agent', client.name, '--mcp');
  await world.commit('Set up ckpt');
  const search = client.mcp.find('resume', 'plan');
  const session = await begin(
    {
      lead: [
        ...search,
        [client.mcp.call('resume', {})],
        [client.mcp.call('plan', { action: 'done', tasks: ['zebra'] })],
        [client.mcp.call('plan', { action: 'done', tasks: ['unicorn'] })],
        [say('The zebra is fed.')],
      ],
    },
    { mcp: true },
  );
  await session.finish();

  const mcp = cell('mcp');
  // The request to which the model answers with its first call.
  const first = session.requests()[search.length];
  const definition = (tool) => JSON.stringify((first && client.mcp.definition(first, tool)) ?? 'none');
  mcp.sent('the definition of resume is there before it is called', definition('resume').includes('resume'));
  const missing = ACTIONS.filter((action) => !definition('plan').includes(action));
  mcp.sent('so is that of plan, with its actions', missing.length === 0, definition('plan'));
  const [brief, ticked, refused] = session.results().slice(search.length).map((result) => result.text);
  mcp.sent('resume gives the brief', briefs(brief ?? '') > 0 && /0 of 10 tasks done/.test(brief), brief);
  mcp.sent('plan tells what is next', /Start task quagga/.test(ticked), ticked);
  mcp.sent(
    'an unknown task is an error with the next step',
    /no task \W*unicorn\W* in plan [\w-]+\. [A-Z]\w+ /.test(refused),
    refused,
  );

  const { from, to } = tick('zebra');
  const text = world.planText();
  mcp.state('the task is done', world.task('zebra').done, world.task('zebra'));
  mcp.state('its box is ticked', text.includes(to) && !text.includes(from), text);
  const done = world.history('task_completed').map((line) => line.taskId);
  mcp.state('the history has this one task', String(done) === 'zebra', done);

  const runs = client.mcp.runs(session);
  const expected = [
    { tool: 'resume', ok: true },
    { tool: 'plan', ok: true },
    { tool: 'plan', ok: false },
  ];
  mcp.logged('two calls succeeded, and one failed', JSON.stringify(runs) === JSON.stringify(expected), runs);
}
