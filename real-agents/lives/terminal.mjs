// A person works in the terminal interface, which asks about the hooks, and closes it. Its daemon goes on for a while.

import { say } from '../models/script.mjs';
import { briefs } from '../world/session.mjs';
import { shellEdit } from './steps.mjs';

export const title = 'terminal interface';

export const rows = ['trust', 'terminal'];

/** Asks the client's module for what the terminal interface has by default. */
export const terminal = true;

export async function live({ client, world, cell, begin }) {
  await world.install(client.name);
  const installed = client.terminal.installed(world);
  const look = async () => {
    const session = await begin({ lead: [[say('I only look.')]] }, { bypassTrust: false });
    await session.finish();
    return session;
  };

  const before = await look();
  const ignored = world.hookLog();
  const untrusted = client.terminal.trusted(world);
  const warned = await world.doctor('trust');

  const first = await begin({ lead: [shellEdit(client, 'zebra'), [say('The zebra is fed.')]] }, { terminal: true });
  await client.terminal.trust(first.terminal);
  await work(first);
  const trusted = client.terminal.trusted(world);
  const satisfied = await world.doctor('trust');

  // Closed; the daemon is still there.
  const daemons = world.daemons();
  const [open] = world.sessions();
  const meanwhile = await look();

  const second = await begin({ lead: [[say('I look again.')]] }, { terminal: true });
  await second.terminal.shows(client.terminal.ready);
  await work(second);
  const kept = client.terminal.trusted(world);

  await world.endDaemons();
  await world.settled();
  const after = await look();

  const trust = cell('trust');
  trust.sent('before, the model is given no brief', briefs(before.told()) === 0, briefs(before.told()));
  trust.state('the doctor says so before', /\d not trusted yet/.test(warned), warned);
  trust.state('and that it is trusted then', /trusts the hooks/.test(satisfied), satisfied);
  trust.state('no hook ran then', ignored.length === 0, ignored);
  trust.logged('the client had no trust noted', untrusted.length === 0, untrusted);
  trust.logged('the terminal interface asks', client.terminal.asksTrust.test(first.terminal.text));
  trust.logged('every hook is then trusted', String(trusted) === String(installed), trusted);
  for (const [when, session] of Object.entries({ 'in it': first, 'without it': meanwhile, 'in it again': second })) {
    const told = briefs(session.toldAtFirst());
    trust.sent(`the model is given one brief ${when}`, told === 1, told);
  }
  trust.state('the task is done by main', world.task('zebra').completedBy === 'main', world.task('zebra'));
  trust.logged('hooks then run without it, and none fails', meanwhile.hooksAreWell(), meanwhile.failedHooks());
  trust.logged('it does not ask again', !client.terminal.asksTrust.test(second.terminal.text));
  trust.logged('the trust stays', String(kept) === String(installed), kept);

  const closed = cell('terminal');
  closed.logged('the daemon outlives the terminal interface', daemons.length > 0);
  closed.state('the session is open then', open && !open.ended_at, open);
  closed.state('its process is the daemon', daemons.includes(open?.process?.pid), [daemons, open?.process]);
  for (const [when, session] of Object.entries({ 'while the daemon lives': meanwhile, afterwards: after })) {
    closed.sent(`no crash is told ${when}`, !/died/.test(session.toldAtFirst()), session.toldAtFirst().slice(0, 600));
    closed.logged(`hooks run ${when}, and none fails`, session.hooksAreWell(), session.failedHooks());
  }
  const isTold = (session) => /Another \w+ session has been running/.test(session.toldAtFirst());
  closed.sent('the session is told to be live while the daemon lives', isTold(meanwhile));
  closed.sent('it is not told to be live afterwards', !isTold(after));
  const records = world.sessions();
  closed.state(
    'there are four sessions',
    records.length === 4,
    records.map((record) => record.session_id),
  );
  const goodbyes = records.filter((record) => record.goodbye_at && record.ended_at).length;
  closed.state('all said goodbye, at the latest with the daemon', goodbyes === 4, records);
  closed.state('no crash is recorded', world.history('session_crash').length === 0, world.history('session_crash'));

  /** Gives it a prompt, waits for the last words of the model, and closes it. */
  async function work(session) {
    await session.terminal.enter(session.prompt);
    await session.terminal.shows(/The zebra is fed\.|I look again\./);
    await client.terminal.quit(session.terminal);
    await session.finish();
  }
}
