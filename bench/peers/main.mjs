// Measures ckpt beside other tools that keep the state of work, all in the same run. See docs/performance.md.
//
//   node bench/peers/main.mjs --binary PATH [--quick] [--write]
//   node bench/peers/main.mjs --from RESULTS [--write]
//
//   --quick   only small stores, fewer rounds, and fewer updates by each writer
//   --write   rewrite the tables and plots of docs/performance.md
//   --from    do not measure: read the results of an earlier run (target/peers/results.json)
//
// Exit codes: 0 if ckpt and at least one peer were measured, 1 if a measurement failed, 2 if nothing was measured.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import backlog from "./backlog.mjs";
import ckpt from "./ckpt.mjs";
import * as content from "./content.mjs";
import langgraph from "./langgraph.mjs";
import { cost, inTurn, innerCost, launcher, median, must, printed, run, syncs, together } from "./measure.mjs";
import { plots } from "./plot.mjs";
import { tables } from "./report.mjs";
import seed from "./seed.mjs";
import taskwarrior from "./taskwarrior.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PLACE = path.join(ROOT, "target", "peers");
const PAGE = path.join(ROOT, "docs", "performance.md");
const PLOTS = path.join(ROOT, "docs", "plots");
const BEGIN = "<!-- peers:begin -->";
const END = "<!-- peers:end -->";

const OPERATIONS = ["update", "load", "list"];
const WRITERS = 20;

/**
 * How much is measured. What takes longer than `slowMs` gets only `slow` rounds. No new round begins after `turnsMs`, so
 * that a busy machine makes the figures coarser but not the run longer.
 */
const FULL = {
  sizes: [10, 1_000, 10_000],
  rounds: 15,
  slow: 5,
  slowMs: 1_000,
  turnsMs: 40_000,
  updates: 10,
  steps: 200,
};
const QUICK = { sizes: [10, 1_000], rounds: 5, slow: 1, slowMs: 200, turnsMs: 8_000, updates: 2, steps: 50 };

/** What is being done, with the seconds since the start. */
const say = (text) => console.error(`${String(Math.round(performance.now() / 1000)).padStart(4)} s  ${text}`);

async function main() {
  const options = {
    binary: { type: "string" },
    from: { type: "string" },
    quick: { type: "boolean" },
    write: { type: "boolean" },
  };
  const { values } = parseArgs({ options });
  if (!values.binary && !values.from) throw new Error("name the binary with --binary, or earlier results with --from");

  const results = values.from ? JSON.parse(fs.readFileSync(values.from, "utf8")) : await measured(values);
  const text = tables(results);
  console.log(text);
  if (values.write) write(results, text);
  const others = results.tools.filter(({ name, version }) => version && name !== "ckpt");
  process.exitCode = others.length === 0 ? 2 : results.failures.length > 0 ? 1 : 0;
}

async function measured({ binary, quick }) {
  fs.mkdirSync(PLACE, { recursive: true });
  const scratch = fs.mkdtempSync(path.join(PLACE, "scratch-"));
  const remove = () => fs.rmSync(scratch, { recursive: true, force: true });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => (remove(), process.exit(130)));
  try {
    const home = path.join(scratch, "home");
    fs.mkdirSync(home);
    const env = { PATH: process.env.PATH, HOME: home };
    const setting = { env, ownEnv: process.env, binary: path.resolve(binary), say };
    const launch = launcher(path.join(ROOT, "bench", "launch", "launch.c"), scratch, env);
    const results = {
      machine: machine(),
      quick: Boolean(quick),
      ...(quick ? QUICK : FULL),
      writers: WRITERS,
      tools: [],
      costs: [],
      syncs: [],
      histories: [],
      losses: [],
      failures: [],
    };
    const tools = installed(
      [ckpt, seed, taskwarrior, langgraph, backlog].map((make) => make(setting)),
      results,
    );
    if (tools[0]?.name !== "ckpt") throw new Error("ckpt itself does not run");
    for (const size of results.sizes)
      growth({ tools, size, folder: path.join(scratch, String(size)), launch, results });
    histories({ tools, folder: path.join(scratch, "history"), results });
    await losses({ tools, folder: path.join(scratch, "writers"), results });
    fs.writeFileSync(path.join(PLACE, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
    return results;
  } finally {
    remove();
  }
}

/** What the figures depend on, without naming the machine. */
function machine() {
  const git = run({ argv: ["git", "--version"], env: process.env })
    .stdout.trim()
    .replace("version ", "");
  return `${os.type()} on ${os.arch()}, ${os.availableParallelism()} cores, Node ${process.versions.node}, ${git}`;
}

/** The tools that can be used here, with their versions. */
function installed(tools, results) {
  return tools.filter((tool) => {
    try {
      const version = tool.install(path.join(PLACE, tool.short.replaceAll(/\W+/g, "-").toLowerCase()));
      results.tools.push({ name: tool.name, version });
      say(`${tool.name} ${version}`);
      return true;
    } catch (error) {
      const reason = error.message.trim().split("\n").slice(0, 2).join(": ");
      results.tools.push({ name: tool.name, reason });
      say(`${tool.name}: not installed: ${reason}`);
      return false;
    }
  });
}

/** Tries something. If it fails, says so, notes it in the results and continues. */
function attempt(what, results, work) {
  try {
    return work();
  } catch (error) {
    say(`failed: ${what}: ${error.message}`);
    results.failures.push({ what, reason: error.message.split("\n", 1)[0] });
    return undefined;
  }
}

/** Measures every operation on stores of one size. The tools take turns. */
function growth({ tools, size, folder, launch, results }) {
  const stores = [];
  for (const tool of tools) {
    for (const kind of tool.stores) {
      say(`${size}: ${tool.name}: ${kind.holds}`);
      const place = path.join(folder, `${tool.short.replaceAll(/\W+/g, "-")}-${kind.shape}`);
      const store = attempt(`${tool.name}, ${kind.holds} at ${size}`, results, () => {
        const made = kind.setup(place, size);
        check(made, folder);
        return made;
      });
      if (store) stores.push({ tool, kind, store, next: 1 });
    }
  }
  if (size === results.sizes[0]) {
    for (const entry of stores) {
      const count = syncs(entry.store.update(entry.next++), folder);
      results.syncs.push({ tool: entry.tool.name, shape: entry.kind.shape, count });
    }
  }
  // What the setup wrote must not be written during the measurements.
  run({ argv: ["sync"], env: process.env });
  for (const operation of OPERATIONS) {
    say(`${size}: ${operation}`);
    const series = stores.flatMap((entry) => seriesOf(entry, operation));
    takeTurns(series, launch, results);
    for (const { entry, how, costs } of series) {
      if (costs.length === 0) continue;
      const of = (member) => median(costs.map((one) => one[member]));
      const { tool, kind } = entry;
      results.costs.push({
        tool: tool.name,
        short: tool.short,
        shape: kind.shape,
        holds: kind.holds,
        says: kind.says[operation],
        how,
        operation,
        size,
        wall: of("wall"),
        cpu: of("cpu"),
        rss: of("rss"),
        rounds: costs.length,
      });
    }
  }
  fs.rmSync(folder, { recursive: true, force: true });
}

/** Refuses a store on which an operation does nothing: a program that does nothing would measure best. */
function check(store, folder) {
  must(store.update(0));
  if (!store.updated(0)) throw new Error("the update is not in the store");
  if (!store.loaded(printed(store.load(), folder))) throw new Error("what was loaded is not what is stored");
  if (store.list && !store.listed(printed(store.list(), folder))) throw new Error("the list is not complete");
}

/** Whole commands, and calls within a running process where a tool has them. */
function seriesOf(entry, operation) {
  const found = [];
  for (const [how, commands] of Object.entries({ command: entry.store, call: entry.store.calls })) {
    const make = commands?.[operation];
    if (make) found.push({ entry, how, operation, costs: [], next: () => make(entry.next++) });
  }
  return found;
}

/** Lets the series run in turn, in an order that moves, so that a busy moment hits them alike. */
function takeTurns(series, launch, results) {
  const { rounds, slow, slowMs, turnsMs } = results;
  const end = performance.now() + turnsMs;
  for (let round = 0; round < rounds && (round === 0 || performance.now() < end); round += 1) {
    const at = round % series.length;
    const order = [...series.slice(at), ...series.slice(0, at)];
    if (round % 2) order.reverse();
    for (const one of order) {
      const isSlow = one.costs.length > 0 && median(one.costs.map(({ wall }) => wall)) > slowMs;
      if (one.failed || one.costs.length >= (isSlow ? slow : rounds)) continue;
      const { tool, kind } = one.entry;
      const measure = () => (one.how === "call" ? innerCost(one.next()) : cost(launch, one.next()));
      const found = attempt(`${one.operation} by ${tool.name}, ${kind.holds}`, results, measure);
      if (found) one.costs.push(found);
      else one.failed = true;
    }
  }
}

/** How much each store grows with every update of something of 3 KB. */
function histories({ tools, folder, results }) {
  for (const tool of tools) {
    say(`history: ${tool.name}`);
    const count = Math.min(tool.history.most ?? Infinity, results.steps);
    attempt(`history of ${tool.name}`, results, () => {
      const store = tool.history.setup(path.join(folder, tool.short.replaceAll(/\W+/g, "-")));
      const many = (from, to) => {
        if (store.updates) must(store.updates(to - from));
        else for (let i = from; i < to; i += 1) must(store.update(i));
      };
      // The first update may do more than the others.
      many(0, 1);
      const before = store.bytes();
      many(1, count + 1);
      const each = (store.bytes() - before) / count;
      results.histories.push({ tool: tool.name, note: tool.history.note, updates: count, bytes: each });
    });
  }
  fs.rmSync(folder, { recursive: true, force: true });
}

/** How many acknowledged updates are gone after many writers worked at once. */
async function losses({ tools, folder, results }) {
  const { updates } = results;
  for (const tool of tools) {
    for (const [at, kind] of tool.writers.entries()) {
      const what = kind.what(WRITERS * updates, WRITERS);
      say(`${WRITERS} writers: ${tool.name}: ${what}`);
      try {
        const store = kind.setup(path.join(folder, `${tool.short.replaceAll(/\W+/g, "-")}-${at}`), WRITERS, updates);
        const all = Array.from({ length: WRITERS }, (_, writer) =>
          Array.from({ length: updates }, (_, update) => content.mark(writer + 1, update + 1)),
        );
        const commands = all.map((marks, writer) =>
          store.writer ? store.writer(writer + 1, marks) : inTurn(marks.map((mark) => store.update(mark))),
        );
        const { codes, wall } = await together(commands);
        const acknowledged = all.flatMap((marks, writer) => marks.filter((_, update) => codes[writer][update] === 0));
        const { marks: found, note } = store.surviving();
        const surviving = new Set(found);
        const lost = acknowledged.filter((mark) => !surviving.has(mark)).length;
        const tried = WRITERS * updates;
        results.losses.push({
          tool: tool.name,
          short: tool.short,
          what,
          tried,
          acknowledged: acknowledged.length,
          failed: tried - acknowledged.length,
          lost,
          note,
          wall,
        });
      } catch (error) {
        attempt(`${WRITERS} writers with ${tool.name}, ${what}`, results, () => {
          throw error;
        });
      }
    }
  }
}

/** Puts the tables between the markers of the page, and writes the plots beside it. */
function write(results, text) {
  const page = fs.readFileSync(PAGE, "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} needs ${BEGIN} and ${END}`);
  fs.writeFileSync(PAGE, `${page.slice(0, begin + BEGIN.length)}\n\n${text}\n${page.slice(end)}`);
  fs.mkdirSync(PLOTS, { recursive: true });
  for (const [name, svg] of Object.entries(plots(results))) fs.writeFileSync(path.join(PLOTS, name), svg);
  say("wrote docs/performance.md and docs/plots/");
}

try {
  await main();
} catch (error) {
  say(error.message);
  process.exitCode = 2;
}
