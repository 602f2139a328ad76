// The plots of docs/performance.md, as SVG. They have a background of their own, to be readable on light and dark pages.
import { find, number } from "./report.mjs";

const COLOURS = {
  ckpt: "#0b6e4f",
  "seeds (Node)": "#c2541b",
  taskwarrior: "#2f5fa8",
  LangGraph: "#8a3d9e",
  "backlog.md": "#6b6b6b",
};
const DASHES = { phases: "", tasks: "7 4", workstreams: "2 4", checkpoints: "" };
const ITEMS = ["phases", "tasks", "workstreams"];
const BACKGROUND = "#f7f6f2";
const INK = "#222222";
const FAINT = "#d9d7cf";

export function plots(results) {
  const lines = (operation, shapes, ways = ["command", "call"]) => linesOf(results, operation, shapes, ways);
  return {
    "update-items.svg": growth(
      results,
      "Update one of N items: CPU time",
      "items in the document",
      lines("update", ITEMS),
    ),
    "update-checkpoints.svg": growth(
      results,
      "Update one of N checkpoints: CPU time",
      "checkpoints in the store",
      lines("update", ["checkpoints"]),
    ),
    "load.svg": growth(
      results,
      "Load one of N checkpoints or tasks: CPU time",
      "checkpoints or tasks in the store",
      lines("load", ["checkpoints", "tasks"]),
    ),
    "list.svg": growth(
      results,
      "List N checkpoints or tasks: CPU time",
      "checkpoints or tasks in the store",
      lines("list", ["checkpoints", "tasks"]),
    ),
    "writers.svg": bars(results),
  };
}

function linesOf(results, operation, shapes, ways) {
  const [first] = results.sizes;
  return results.costs
    .filter(
      (cost) =>
        cost.operation === operation && cost.size === first && shapes.includes(cost.shape) && ways.includes(cost.how),
    )
    .map(({ tool, short, shape, how }) => ({
      label: [short, ...(shapes.length > 1 ? [shape] : []), ...(how === "call" ? ["call only"] : [])].join(", "),
      colour: COLOURS[short] ?? INK,
      dash: how === "call" ? "1 5" : DASHES[shape],
      isOurs: tool === "ckpt",
      points: results.sizes.flatMap((size) => {
        const cost = find(results, { tool, shape, how, operation, size });
        return cost ? [{ x: size, y: Math.max(cost.cpu, 0.01) }] : [];
      }),
    }));
}

const escape = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const at = (value) => value.toFixed(1);

function text(x, y, words, { size = 13, anchor = "start", fill = INK, weight = "normal" } = {}) {
  return `<text x="${at(x)}" y="${at(y)}" font-size="${size}" text-anchor="${anchor}" fill="${fill}" font-weight="${weight}">${escape(words)}</text>`;
}

function frame(width, height, title, parts) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    text(24, 32, title, { size: 16, weight: "600" }),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

/** Lines on logarithmic axes: a line that rises by one decade for each decade is linear growth. */
function growth(results, title, xTitle, lines) {
  const [width, height] = [940, 470];
  const area = { left: 84, right: 600, top: 56, bottom: 400 };
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y));
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  const [first, last] = [results.sizes[0], results.sizes.at(-1)].map(Math.log10);
  const x = (value) => area.left + ((Math.log10(value) - first) / (last - first)) * (area.right - area.left);
  const y = (value) => area.bottom - ((Math.log10(value) - low) / (high - low)) * (area.bottom - area.top);

  const parts = [];
  for (let power = low; power <= high; power += 1) {
    const height = y(10 ** power);
    parts.push(`<line x1="${area.left}" y1="${at(height)}" x2="${area.right}" y2="${at(height)}" stroke="${FAINT}"/>`);
    parts.push(text(area.left - 10, height + 4, `${tick(power)} ms`, { anchor: "end" }));
  }
  for (let power = first; power <= last; power += 1) {
    const across = x(10 ** power);
    parts.push(`<line x1="${at(across)}" y1="${area.top}" x2="${at(across)}" y2="${area.bottom}" stroke="${FAINT}"/>`);
    parts.push(text(across, area.bottom + 22, (10 ** power).toLocaleString("en-US"), { anchor: "middle" }));
  }
  parts.push(
    text((area.left + area.right) / 2, area.bottom + 48, `${xTitle} (both axes logarithmic)`, { anchor: "middle" }),
  );
  for (const { points, colour, dash, isOurs } of lines) {
    const path = points.map((point, index) => `${index ? "L" : "M"}${at(x(point.x))} ${at(y(point.y))}`).join(" ");
    const dashed = dash ? ` stroke-dasharray="${dash}"` : "";
    parts.push(
      `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${isOurs ? 3 : 2}" stroke-linecap="round"${dashed}/>`,
    );
    for (const point of points)
      parts.push(`<circle cx="${at(x(point.x))}" cy="${at(y(point.y))}" r="${isOurs ? 4 : 3}" fill="${colour}"/>`);
  }
  const ends = lines
    .filter(({ points }) => points.length > 0)
    .map((one) => ({ ...one, end: y(one.points.at(-1).y), value: one.points.at(-1).y, from: x(one.points.at(-1).x) }))
    .sort((a, b) => a.end - b.end);
  const places = spread(
    ends.map(({ end }) => end),
    18,
    area.top,
    area.bottom,
  );
  ends.forEach(({ label, colour, end, from, value, isOurs }, index) => {
    const place = places[index];
    parts.push(
      `<line x1="${at(from + 6)}" y1="${at(end)}" x2="${area.right + 22}" y2="${at(place)}" stroke="${colour}" stroke-width="1" opacity="0.6"/>`,
    );
    parts.push(
      text(area.right + 26, place + 4, `${label}: ${number(value)} ms`, {
        fill: colour,
        weight: isOurs ? "700" : "normal",
      }),
    );
  });
  return frame(width, height, title, parts);
}

/** 10 to this power, without an exponent. */
const tick = (power) => (power < 0 ? (10 ** power).toFixed(-power) : (10 ** power).toLocaleString("en-US"));

/** Moves sorted labels apart, so that none covers another, and keeps them between two limits. */
function spread(places, gap, top, bottom) {
  const moved = [...places];
  for (let i = 1; i < moved.length; i += 1) moved[i] = Math.max(moved[i], moved[i - 1] + gap);
  const over = moved.length > 0 ? Math.max(0, moved.at(-1) - bottom) : 0;
  if (over > 0) {
    moved[moved.length - 1] -= over;
    for (let i = moved.length - 2; i >= 0; i -= 1) moved[i] = Math.min(moved[i], moved[i + 1] - gap);
  }
  return moved.map((place) => Math.max(place, top - 12));
}

/** Acknowledged updates that are gone, and commands that failed, for each tool. */
function bars(results) {
  const { losses, writers, updates } = results;
  const [width, left, right, top, step] = [940, 370, 790, 84, 34];
  const height = top + losses.length * step + 48;
  const most = writers * updates;
  const x = (value) => left + (value / most) * (right - left);
  const parts = [
    text(
      24,
      56,
      `${writers} writers, ${updates} updates each. Red: acknowledged, then gone. Grey: failed with an error.`,
    ),
  ];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const across = x(most * share);
    parts.push(`<line x1="${at(across)}" y1="${top - 8}" x2="${at(across)}" y2="${height - 40}" stroke="${FAINT}"/>`);
    parts.push(text(across, height - 20, Math.round(most * share), { anchor: "middle" }));
  }
  losses.forEach(({ short, what, lost, failed }, index) => {
    const y = top + index * step;
    parts.push(
      text(left - 12, y + 15, `${short}: ${what}`, {
        anchor: "end",
        fill: COLOURS[short] ?? INK,
        weight: short === "ckpt" ? "700" : "normal",
      }),
    );
    if (lost > 0) parts.push(`<rect x="${left}" y="${y}" width="${at(x(lost) - left)}" height="20" fill="#b3261e"/>`);
    if (failed > 0)
      parts.push(`<rect x="${at(x(lost))}" y="${y}" width="${at(x(failed) - left)}" height="20" fill="#9a9a9a"/>`);
    const words = failed > 0 ? `${lost} lost, ${failed} failed` : `${lost} lost`;
    parts.push(text(x(lost + failed) + 8, y + 15, words, { weight: lost ? "700" : "normal" }));
  });
  return frame(width, height, "Lost updates", parts);
}
