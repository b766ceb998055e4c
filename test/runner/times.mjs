// Reads and writes test/times.json: the seconds of each group of tests in the last run that kept its times, separately
// for day and nightly runs. The groups with the longest times start first. `npm run test:nightly` keeps its times, and
// so does `npm test -- --keep-times`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isNightly } from './groups.mjs';

const FILE = 'test/times.json';
const RUN_KIND = isNightly ? 'nightly' : 'day';
/** Factor by which a group's seconds must exceed, or fall below, the expected ones for the group to be reported. */
const DEVIATION = 2;
/** Below this, most of the time is the start of a process. */
const MIN_SECONDS = 5;

/** Sorts groups by time. Groups without a kept time come first, as they can be long. */
export function longestFirst(groups) {
  const kept = read()[RUN_KIND] ?? {};
  const expected = ({ name }) => kept[name] ?? Infinity;
  return groups.toSorted((a, b) => (expected(a) === expected(b) ? 0 : expected(b) - expected(a)));
}

/**
 * Returns lines about groups whose time deviates from the expected one: the kept time, scaled by the median ratio of
 * all groups, as whole runs are faster or slower on other machines.
 */
export function deviations(results) {
  const kept = read()[RUN_KIND] ?? {};
  const ratios = results
    .filter(({ name, seconds }) => kept[name] > 0 && Math.max(kept[name], seconds) >= MIN_SECONDS)
    .map(({ name, seconds }) => ({ name, seconds, ratio: seconds / kept[name] }));
  const median = ratios.map(({ ratio }) => ratio).toSorted((a, b) => a - b)[ratios.length >> 1];
  return ratios
    .map(({ name, seconds, ratio }) => ({ name, seconds, change: ratio / median }))
    .filter(({ change }) => change > DEVIATION || change < 1 / DEVIATION)
    .map(({ name, seconds, change }) => {
      const expected = (kept[name] * median).toFixed(0);
      return `${name} took ${seconds.toFixed(0)} s, ${change.toFixed(1)} times the ${expected} s expected from ${FILE}.`;
    });
}

/** Stores the times of a run of all groups; removes groups that no longer exist. */
export function keepTimes(results) {
  const seconds = results.map(({ name, seconds }) => [name, Math.round(seconds)]);
  const times = { ...read(), [RUN_KIND]: Object.fromEntries(seconds) };
  writeFileSync(FILE, `${JSON.stringify(times, undefined, 2)}\n`);
}

function read() {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}
