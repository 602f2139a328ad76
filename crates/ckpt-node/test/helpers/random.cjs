// Repeatable randomness.
"use strict";

/** Numbers that depend only on a seed. */
function chance(seed) {
  let state = (seed % 2147483646) + 1;
  const next = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const below = (limit) => Math.floor(next() * limit);
  const one = (list) => list[below(list.length)];
  return { below, one };
}

module.exports = { chance };
