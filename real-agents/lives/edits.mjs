// A plan is edited with every editing tool that the client has, with a shell command, and with one that fails.

import { say } from '../models/script.mjs';
import { ANIMALS } from '../world/plan.mjs';
import { briefs } from '../world/session.mjs';
import { edits, failedShellEdit, shellEdit } from './steps.mjs';

export const title = 'edits';

export const rows = ['start', 'edit', 'shell', 'failed'];

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  const editors = Object.keys(client.editors);
  const [shelled, failing, ...animals] = ANIMALS;
  const edited = editors.map((editor, at) => ({ editor, animal: animals[at] }));

  const session = await begin({
    lead: [
      ...edited.flatMap(({ editor, animal }) => edits(client, world, animal, editor)),
      shellEdit(client, shelled),
      failedShellEdit(client, failing),
      [say('Three animals are fed.')],
    ],
  });
  await session.finish();
  const [record] = world.sessions();

  const start = cell('start');
  start.sent('the model is given one brief', briefs(session.toldAtFirst()) === 1, briefs(session.toldAtFirst()));
  start.sent('the brief stays one', briefs(session.told()) === 1, briefs(session.told()));
  start.state('the session is recorded', record?.agent === client.name, record);
  start.state('one prompt of the user is counted', record?.prompts === 1, record?.prompts);
  start.state(
    'what the user asked is recorded',
    record?.asked?.[0]?.includes('Go on with the plan.'),
    record?.asked ?? 'nothing',
  );
  start.logged('the hook of the session start ran', session.hooks('sessionStart') > 0);
  start.logged('the hook of the prompt ran', session.hooks('prompt') > 0);
  start.logged('hooks ran, and none failed', session.hooksAreWell(), session.failedHooks());

  const edit = cell('edit');
  for (const { editor, animal } of edited) {
    checkTick(edit, { world, animal, session: record, what: editor });
  }
  const seen = world.history('plan_edited').length;
  edit.state('every edit is recorded as made by the agent', seen === editors.length, seen);
  const refused = session.results().filter((result) => result.failed);
  edit.sent(
    'no edit is refused',
    session.results().length > editors.length && refused.every((result) => isExit3(result.text)),
    refused,
  );
  edit.logged('a hook ran after every edit', session.hooks('afterTool') >= editors.length, session.hooks('afterTool'));

  const shell = cell('shell');
  checkTick(shell, { world, animal: shelled, session: record, what: 'the shell' });
  const [done, broken] = session.results().slice(-2);
  shell.sent('the command succeeds', done && !done.failed && !isExit3(done.text), done);
  shell.logged('a hook ran before the command', session.hooks('beforeTool') > 0);
  shell.logged('a hook ran after the command', session.hooks('afterTool') > editors.length, session.hooks('afterTool'));

  const failed = cell('failed');
  checkTick(failed, { world, animal: failing, session: record, what: 'a failing command' });
  failed.sent('the model is told that the command failed', isExit3(broken?.text), broken);
  failed.logged('a hook ran after the failure', session.hooks('afterFailure') > 0);
}

/** Whether a result says that a command exited with 3; every client has its own words for that. */
const isExit3 = (text) => /code:? 3|"exit_code":3/i.test(text ?? '');

/** The state and the history say that the agent ticked a task in this session. */
function checkTick(cell, { world, animal, session, what }) {
  const task = world.task(animal);
  cell.state(`${animal}, ticked with ${what}, is done by main`, task.done && task.completedBy === 'main', task);
  const line = world.history('task_completed').find((line) => line.taskId === animal);
  const attributed = line?.by === 'main' && line.session === session?.session_id;
  cell.state(`the history says that this session ticked ${animal} with ${what}`, attributed, line ?? 'no line');
}
