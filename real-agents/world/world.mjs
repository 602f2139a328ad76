// A fresh repository with a home of its own, in which nothing of the user's is read or written.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { PLAN, PLAN_FILE, planText } from './plan.mjs';
import { processesFrom, run, signalAll, until } from './processes.mjs';

/** Folders that are to be gone when this program ends, even if it is interrupted. */
const temporary = new Set();

export class World {
  /** Makes a repository with a plan and a remote. */
  static async create({ binary, programs, fence }) {
    // Clients report resolved paths.
    const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'ckpt-real-agents-')));
    temporary.add(root);
    const world = new World({ root, binary, programs, fence });
    for (const folder of ['home', 'bin', 'logs', 'payloads', 'tmp', path.dirname(path.join('repo', PLAN_FILE))]) {
      fs.mkdirSync(path.join(root, folder), { recursive: true });
    }
    // The plugin calls the ckpt on the PATH.
    fs.symlinkSync(binary, path.join(root, 'bin', 'ckpt'));
    fs.writeFileSync(path.join(root, 'home', '.gitconfig'), '[user]\n\tname = Keeper\n\temail = keeper@example.org\n');
    fs.writeFileSync(world.planFile, planText);
    fs.writeFileSync(path.join(world.repo, 'README.md'), '# Zoo\n');
    await world.git('init', '--quiet', '--initial-branch=main');
    await world.git('init', '--quiet', '--bare', '../remote.git');
    await world.git('remote', 'add', 'origin', '../remote.git');
    await world.ckpt('plan', 'sync');
    await world.commit('First');
    return world;
  }

  constructor({ root, binary, programs, fence }) {
    this.root = root;
    /** The folder of the clients' programs. */
    this.programs = programs;
    this.#binary = binary;
    this.repo = path.join(root, 'repo');
    this.home = path.join(root, 'home');
    this.logs = path.join(root, 'logs');
    this.payloads = path.join(root, 'payloads');
    this.planFile = path.join(this.repo, PLAN_FILE);
    this.env = {
      PATH: `${path.join(root, 'bin')}:${process.env.PATH}`,
      HOME: this.home,
      TMPDIR: path.join(root, 'tmp'),
      TERM: 'dumb',
      LANG: 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM: '1',
      ...fence.env,
    };
  }

  #binary;

  remove() {
    temporary.delete(this.root);
    remove(this.root);
  }

  /** The ids of processes that a client installed in its home and left behind. */
  daemons() {
    return processesFrom(this.home);
  }

  /** Asks them to end, and waits for that. */
  async endDaemons() {
    signalAll(this.daemons(), 'SIGTERM');
    if (!(await until(() => this.daemons().length === 0))) throw new Error(`still running: ${this.daemons()}`);
  }

  /** Leaves the folder where it is, and returns it. */
  keep() {
    temporary.delete(this.root);
    killDaemons(this.root);
    return this.root;
  }

  async git(...args) {
    const { code, stdout, stderr } = await run('git', args, { cwd: this.repo, env: this.env });
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`);
    return stdout;
  }

  async commit(message) {
    await this.git('add', '--all');
    await this.git('commit', '--quiet', '--message', message);
  }

  /** Runs ckpt as a person would: `{ code, stdout, stderr }`. */
  ckptTry(...args) {
    return run(this.#binary, args, { cwd: this.repo, env: this.env });
  }

  /** Runs ckpt, which has to succeed. */
  async ckpt(...args) {
    const { code, stdout, stderr } = await this.ckptTry(...args);
    if (code !== 0) throw new Error(`ckpt ${args.join(' ')} exited with ${code}: ${stderr.trim()}`);
    return stdout;
  }

  async ckptJson(...args) {
    return JSON.parse(await this.ckpt(...args, '--json'));
  }

  /** Sets up the hooks of agents, as a person would. */
  async install(...agents) {
    for (const agent of agents) await this.ckpt('init', '--agent', agent);
    await this.commit('Set up ckpt');
  }

  /** What the doctor says about a topic. */
  async doctor(topic) {
    const { stdout } = await this.ckptTry('doctor', '--json');
    const checks = JSON.parse(stdout).checks.filter((check) => check.topic === topic);
    return checks.map((check) => check.text).join('\n');
  }

  planText() {
    return fs.readFileSync(this.planFile, 'utf8');
  }

  /** The state of the plan, as the hooks left it: reading it must not bring it up to date. */
  planState() {
    return this.#json(`plans/${PLAN}/.checkpoint/state.json`);
  }

  /** Whether a task is done, according to the state. */
  task(id) {
    return this.planState().phases.animals.tasks[id];
  }

  /** The history of the plan; with an event, the lines of that event. */
  history(event) {
    const lines = this.#lines(`plans/${PLAN}/.checkpoint/history.jsonl`);
    return event ? lines.filter((line) => line.event === event) : lines;
  }

  /** The records of the sessions, oldest first. */
  sessions() {
    const folder = path.join(this.repo, '.claude/state/sessions');
    const names = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
    const records = names.map((name) => this.#json(path.join('.claude/state/sessions', name)));
    return records.sort((a, b) => a.begun_at.localeCompare(b.begun_at));
  }

  /** Waits until background processes have handled what hooks had no time for. */
  settled() {
    const count = (member) => this.hookLog().filter((line) => line[member]).length;
    return until(() => count('late') >= count('handed_on'));
  }

  /** Waits until no hook has been called for a second. */
  async quiet() {
    let [seen, since] = [-1, Date.now()];
    await until(() => {
      const now = this.hookLog().length;
      if (now !== seen) [seen, since] = [now, Date.now()];
      return Date.now() - since > 1000;
    }, 10_000);
  }

  /** What ckpt says about the hooks that were called. */
  hookLog() {
    return this.#lines('.claude/state/hooks.jsonl');
  }

  #json(file) {
    return JSON.parse(fs.readFileSync(path.join(this.repo, file), 'utf8'));
  }

  #lines(file) {
    const full = path.join(this.repo, file);
    if (!fs.existsSync(full)) return [];
    return fs
      .readFileSync(full, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }
}

const killDaemons = (root) => signalAll(processesFrom(path.join(root, 'home')), 'SIGKILL');

function remove(root) {
  killDaemons(root);
  // A client that was just killed may still be writing.
  fs.rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** Removes the worlds of lives that were interrupted. */
export const removeAll = () => temporary.forEach(remove);
