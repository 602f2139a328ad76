// One run of a client on a scripted model.

import fs from 'node:fs';
import path from 'node:path';

import { Model } from '../models/model.mjs';
import { leadPrompt } from '../models/script.mjs';
import { Child, within } from './processes.mjs';
import { Terminal, inTerminal } from './terminal.mjs';

/** How long one run of a client may take, in milliseconds. */
const LIMIT = 60_000;

/** The first words of the brief. */
const BRIEF = 'ckpt: where work in this repository stands';

let count = 0;

export class Session {
  /**
   * Starts a client. `turns` are what its model does; `how` is what the client's module understands: `prompt`,
   * `resume`, `plugin`, `mcp`, `bypassTrust`. With `terminal`, it is the terminal interface, and nothing is typed yet.
   */
  static async begin(world, client, turns, how = {}) {
    const session = new Session();
    session.world = world;
    session.client = client;
    session.name = `${client.name}-${++count}`;
    session.model = await Model.start({ client, turns });
    session.prompt = leadPrompt(how.prompt ?? 'Go on with the plan.');
    const { args, env } = client.command({ world, session, ...how, prompt: session.prompt });
    const program = path.join(world.programs, client.program);
    session.child = new Child({
      ...(how.terminal ? inTerminal(program, args) : { program, args }),
      cwd: world.repo,
      env: { ...world.env, ...env },
      output: path.join(world.logs, `${session.name}.out`),
      limit: LIMIT,
      typed: how.terminal,
    });
    if (how.terminal) session.terminal = new Terminal(session.child);
    return session;
  }

  /** Waits until the client waits for a held turn of its model. */
  async reached(name) {
    const first = await within(LIMIT, Promise.race([this.model.reached(name).then(() => 'reached'), this.child.ended]));
    if (first !== 'reached') throw new Error(`${this.client.title} never came to "${name}": ${this.#lastWords()}`);
  }

  async finish() {
    const { code, signal, error } = await this.child.end();
    this.#endedAt = new Date().toISOString();
    this.model.stop();
    await this.world.settled();
    if (code !== 0) {
      throw new Error(`${this.client.title} failed (${error ?? signal ?? `exit code ${code}`}): ${this.#lastWords()}`);
    }
  }

  /** Kills the client in the middle of its work. */
  async crash() {
    this.child.kill();
    await this.child.ended;
    this.#endedAt ??= new Date().toISOString();
    this.model.stop();
  }

  #begunAt = new Date().toISOString();
  #endedAt;

  /** Whether a time is between begin and end. */
  covers(time) {
    return this.#begunAt <= time && time <= (this.#endedAt ?? time);
  }

  get output() {
    return fs.readFileSync(this.child.output, 'utf8');
  }

  #lastWords() {
    return this.output.trim().split('\n').slice(-3).join(' ').slice(-400);
  }

  /** What was sent to the model in a conversation: that of the lead, or of a helper. */
  requests(conversation = 'lead') {
    return this.model.requests.filter((request) => request.conversation === conversation);
  }

  /** All that the model knows at the end of a conversation and did not say itself. */
  told(conversation = 'lead') {
    return toldIn(this.requests(conversation).at(-1));
  }

  /** What the model knew when a conversation began. */
  toldAtFirst(conversation = 'lead') {
    return toldIn(this.requests(conversation)[0]);
  }

  /** The answers of tools, in order: `{ text, failed }`. */
  results(conversation = 'lead') {
    return (this.requests(conversation).at(-1)?.items ?? []).filter((item) => item.from === 'tool');
  }

  /** How often the client logged that a hook for an event did its work; see the client's module for the names. */
  hooks(event) {
    return this.#hookRuns().filter((run) => run.ok && run.event === this.client.events[event]).length;
  }

  /** Whether hooks ran, and none failed, according to the client. */
  hooksAreWell() {
    return this.#hookRuns().length > 0 && this.failedHooks().length === 0;
  }

  /** The hooks that failed, according to the client. */
  failedHooks() {
    return this.#hookRuns().filter((run) => !run.ok);
  }

  #hookRuns() {
    return this.client.hookRuns(this);
  }
}

/** All that a request tells the model. */
export const toldIn = (request) =>
  (request?.items ?? [])
    .filter((item) => item.from !== 'model')
    .map((item) => item.text)
    .join('\n');

/** How often a text occurs in another. */
export const occurrences = (text, part) => text.split(part).length - 1;

/** How many briefs a text has. */
export const briefs = (text) => occurrences(text, BRIEF);
