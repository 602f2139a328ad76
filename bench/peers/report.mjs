// The tables of docs/performance.md, as Markdown.

const OURS = "ckpt";

/** Finds the cost of one operation. */
export function find(results, wanted) {
  return results.costs.find((cost) => Object.entries(wanted).every(([member, value]) => cost[member] === value));
}

export function number(value) {
  if (value < 0.995) return value.toFixed(2);
  if (value < 9.95) return value.toFixed(1);
  return Math.round(value).toLocaleString("en-US");
}

const ratio = (value) => `${number(value)}×`;

/** What of ckpt a row is compared with: the same kind of content, in the same way if ckpt was measured so. */
function base(results, { shape, operation, how }, size) {
  const same = { tool: OURS, shape, operation, size };
  return find(results, { ...same, how }) ?? find(results, { ...same, how: "command" });
}

/** The rows of a table: one for each tool, kind of content and way. */
function rowsOf(results, operation, how) {
  const [smallest] = results.sizes;
  const rows = results.costs.filter(
    (cost) => cost.operation === operation && cost.how === how && cost.size === smallest,
  );
  return rows.map((row) => ({
    ...row,
    costs: results.sizes.map((size) => find(results, { tool: row.tool, shape: row.shape, how, operation, size })),
  }));
}

/** The figures of a row, each with its ratio to ckpt. */
function cells(results, row, member) {
  return row.costs.map((cost, at) => {
    if (!cost) return "failed";
    const ours = base(results, row, results.sizes[at]);
    const isOurs = ours && ours.tool === row.tool && ours.how === row.how;
    return isOurs || !ours ? number(cost[member]) : `${number(cost[member])} (${ratio(cost[member] / ours[member])})`;
  });
}

const line = (cellsOfLine) => `| ${cellsOfLine.join(" | ")} |`;

function table(head, rows) {
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

const sized = (results, what) => results.sizes.map((size) => `${what}, ${size.toLocaleString("en-US")}`);

/** Where a peer is cheaper than ckpt. Nothing is left out, however small. */
function cheaper(results, rows) {
  const found = [];
  for (const row of rows) {
    if (row.tool === OURS) continue;
    for (const member of ["cpu", "wall"]) {
      const places = row.costs.flatMap((cost, at) => {
        const ours = base(results, row, results.sizes[at]);
        const isCheaper = cost && ours && cost[member] < ours[member];
        return isCheaper
          ? [`${ratio(cost[member] / ours[member])} at ${results.sizes[at].toLocaleString("en-US")}`]
          : [];
      });
      if (places.length > 0)
        found.push(
          `${row.operation}, ${row.tool}, ${row.holds}: ${member === "cpu" ? "CPU" : "wall"} ${places.join(", ")}`,
        );
    }
  }
  if (found.length === 0) return "No peer takes less than `ckpt` here, at any size.";
  return ["Here a peer takes less than `ckpt`:", "", ...found.map((one) => `* ${one}`)].join("\n");
}

function operationTable(results, operation, extra) {
  const rows = rowsOf(results, operation, "command");
  const head = ["tool", "store, command", ...sized(results, "CPU ms"), ...sized(results, "wall ms"), ...extra.head];
  const body = rows.map((row) => [
    row.tool,
    `${row.holds}, ${row.says}`,
    ...cells(results, row, "cpu"),
    ...cells(results, row, "wall"),
    ...extra.cells(row),
  ]);
  return [table(head, body), "", cheaper(results, rows)].join("\n");
}

const NONE = { head: [], cells: () => [] };

function growthAndSyncs(results) {
  const last = results.sizes.length - 1;
  return {
    head: [
      `CPU, ${results.sizes[last].toLocaleString("en-US")} to ${results.sizes[last - 1].toLocaleString("en-US")}`,
      "syncs",
    ],
    cells(row) {
      const [before, after] = [row.costs[last - 1], row.costs[last]];
      const found = results.syncs.find(({ tool, shape }) => tool === row.tool && shape === row.shape);
      return [before && after ? ratio(after.cpu / before.cpu) : "", found?.count ?? "not measured"];
    },
  };
}

function callTable(results) {
  const rows = ["update", "load", "list"].flatMap((operation) => rowsOf(results, operation, "call"));
  const hasOurs = rows.some(({ tool }) => tool === OURS);
  const head = [
    "tool",
    "store, call",
    ...sized(results, "CPU ms"),
    ...sized(results, "wall ms"),
    "memory of the process, MiB",
  ];
  const body = rows.map((row) => [
    row.tool,
    `${row.operation}: ${row.holds}${row.tool === OURS ? "" : `, ${row.says}`}`,
    ...cells(results, row, "cpu"),
    ...cells(results, row, "wall"),
    row.costs.map((cost) => (cost ? number(cost.rss) : "failed")).join(", "),
  ]);
  const against = hasOurs
    ? "The ratios compare with a call of `ckpt`'s Node package, and for lists with the whole command."
    : "`ckpt`'s Node package was not built for this run, so the ratios compare a call with a whole `ckpt` command.";
  return [against, "", table(head, body), "", cheaper(results, rows)].join("\n");
}

function memoryTable(results) {
  const rows = ["update", "list"].flatMap((operation) => rowsOf(results, operation, "command"));
  const head = ["tool", "store, command", ...sized(results, "MiB")];
  return table(
    head,
    rows.map((row) => [row.tool, `${row.holds}, ${row.says}`, ...cells(results, row, "rss")]),
  );
}

function lossTable(results) {
  const head = ["tool", "what the writers change", "tried", "failed", "acknowledged", "lost", "seconds"];
  return table(
    head,
    results.losses.map((row) => [
      row.tool,
      row.what,
      row.tried,
      row.failed,
      row.acknowledged,
      `${row.lost ? `**${row.lost}**` : 0}${row.note ? `, ${row.note}` : ""}`,
      (row.wall / 1000).toFixed(1),
    ]),
  );
}

function historyTable(results) {
  const head = ["tool", "bytes per update", "what it keeps", "updates"];
  return table(
    head,
    results.histories.map((row) => [row.tool, Math.round(row.bytes).toLocaleString("en-US"), row.note, row.updates]),
  );
}

function toolTable(results) {
  return table(
    ["tool", "version"],
    results.tools.map(({ name, version, reason }) => [name, version ?? `not installed: ${reason}`]),
  );
}

export function tables(results) {
  const { rounds, slow, slowMs, writers, updates } = results;
  const fewest = Math.min(...results.costs.map((cost) => cost.rounds));
  const sections = [
    `${results.machine}. Each figure is the median of up to ${rounds} runs, of up to ${slow} for what takes more than ` +
      `${slowMs / 1000} s, and of at least ${fewest}.`,
    "",
    toolTable(results),
    "",
    "### Update",
    "",
    operationTable(results, "update", growthAndSyncs(results)),
    "",
    "![CPU time of an update, by the number of items](plots/update-items.svg)",
    "",
    "![CPU time of an update, by the number of checkpoints](plots/update-checkpoints.svg)",
    "",
    "### Load",
    "",
    operationTable(results, "load", NONE),
    "",
    "![CPU time of a load](plots/load.svg)",
    "",
    "### List",
    "",
    operationTable(results, "list", NONE),
    "",
    "![CPU time of a list](plots/list.svg)",
    "",
    "### Calls within a running process",
    "",
    callTable(results),
    "",
    `### ${writers} writers at once`,
    "",
    `Each writer makes ${updates} updates.`,
    "",
    lossTable(results),
    "",
    "![Lost updates](plots/writers.svg)",
    "",
    "### History",
    "",
    historyTable(results),
    "",
    "### Memory",
    "",
    memoryTable(results),
    "",
  ];
  if (results.failures.length > 0) {
    sections.push("### Not measured", "", ...results.failures.map(({ what, reason }) => `* ${what}: ${reason}`), "");
  }
  return sections.join("\n");
}
