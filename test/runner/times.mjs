// test/times.json: the seconds of each group in the last run whose times were kept, by day and nightly. Groups start by
// them, longest first. `npm run test:nightly` keeps its times; `npm test -- --keep-times` does so by day.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isNightly } from './groups.mjs';

const FILE = 'test/times.json';
const SIZE = isNightly ? 'nightly' : 'day';
/** A group that took this many times as long as expected, or that part of it, is reported. */
const DEVIATION = 2;
/** Below, the start of a process is most of it. */
const LEAST_SECONDS = 5;

/** Groups without a kept time come first, as they can be long. */
export function longestFirst(groups) {
  const kept = read()[SIZE] ?? {};
  const expected = ({ name }) => kept[name] ?? Infinity;
  return groups.toSorted((a, b) => (expected(a) === expected(b) ? 0 : expected(b) - expected(a)));
}

/** Lines about groups that deviate. The whole run can be faster or slower, as machines are, so the median is the measure. */
export function deviations(results) {
  const kept = read()[SIZE] ?? {};
  const ratios = results
    .filter(({ name, seconds }) => kept[name] > 0 && Math.max(kept[name], seconds) >= LEAST_SECONDS)
    .map(({ name, seconds }) => ({ name, seconds, ratio: seconds / kept[name] }));
  const median = ratios.map(({ ratio }) => ratio).toSorted((a, b) => a - b)[ratios.length >> 1];
  return ratios
    .map((each) => ({ ...each, change: each.ratio / median }))
    .filter(({ change }) => change > DEVIATION || change < 1 / DEVIATION)
    .map(({ name, seconds, change }) => {
      const expected = (kept[name] * median).toFixed(0);
      return `${name} took ${seconds.toFixed(0)} s, ${change.toFixed(1)} times the ${expected} s of ${FILE} on this machine.`;
    });
}

/** Keeps the times of a whole run; groups that are gone go. */
export function keepTimes(results) {
  const seconds = results.map(({ name, seconds }) => [name, Math.round(seconds)]);
  const times = { ...read(), [SIZE]: Object.fromEntries(seconds) };
  writeFileSync(FILE, `${JSON.stringify(times, undefined, 2)}\n`);
}

function read() {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}
