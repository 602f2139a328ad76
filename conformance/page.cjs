// The page of the conformance suite.
"use strict";

const DOCUMENTS = {
  1: "Command checkpoints",
  2: "Pipeline checkpoints",
  3: "Design of the infrastructure",
  4: "Plan checkpoints",
  5: "Requirements",
};

const ABOUT = `# Conformance

ckpt implements a specification of five documents. This page lists every statement in them that can be tested. Each row
was run against the program and the Node package; \`node conformance/run.cjs\` runs them all, and fails if a row comes out
differently from what is written here.

* **holds**: the statement is true as it stands.
* **other form**: what it asks for is there, but in another form. The reason follows.
* **not yet**: it is not built. The reason follows.

The scripts are in \`conformance/rows/\`. \`node conformance/run.cjs 2.014\` runs one of them.
`;

/**
 * The page about rows.
 * @param {import("./rows.cjs").Row[]} rows - All of them, each as it came out
 * @returns {string} Markdown.
 */
function page(rows) {
  const documents = Object.entries(DOCUMENTS).map(([number, title]) => {
    const own = rows.filter((row) => row.number.startsWith(`${number}.`));
    return { title: `${number}. ${title}`, own };
  });
  const filled = documents.filter(({ own }) => own.length > 0);
  const counts = filled.map(({ title, own }) => `| ${title} | ${counted(own).join(" | ")} |`);
  const all = `| **All** | ${counted(rows).join(" | ")} |`;
  const summary = ["| Document | Statements | Hold | In another form | Not yet |", "|---|---|---|---|---|", ...counts, all];
  return [ABOUT, summary.join("\n"), ...filled.map(chapter)].join("\n\n").replace(/\n{3,}/g, "\n\n") + "\n";
}

function counted(rows) {
  const of = (result) => rows.filter((row) => row.result === result).length;
  return [rows.length, of("holds"), of("other"), of("not yet")];
}

function chapter({ title, own }) {
  const sections = [...new Set(own.map((row) => row.section))];
  const tables = sections.map((section) => table(section, own.filter((row) => row.section === section)));
  return [`## ${title}`, ...tables].join("\n\n");
}

function table(section, rows) {
  const lines = rows.map((row) => `| ${row.number} | ${cell(row.statement)} | ${cell(row.run)} | ${result(row)} |`);
  return [`### ${section}\n`, "| Row | Statement | How it is run | Result |", "|---|---|---|---|", ...lines].join("\n");
}

function result(row) {
  if (row.result === "holds") return "holds";
  const name = row.result === "other" ? "other form" : "not yet";
  return `**${name}**: ${cell(row.reason)}`;
}

function cell(text) {
  return text.replaceAll("|", "\\|");
}

module.exports = { page };
