// Compiles the tests and runs their parts: unit (mocha), training (Python's unittest), host (mocha inside of VS Code),
// e2e (VS Code in a browser). node test/run.mjs [unit|training|host|e2e ...] [--keep-times] [mocha arguments]; for
// instance npm test -- --grep kv. Its last line is always "N passed, N failed": a crash, a hang or an empty run counts
// as a failure.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { SetupError } from '../scripts/command.mjs';
import { changedFiles } from './runner/changedFiles.mjs';
import { groupsOf, isNightly, PART_NAMES } from './runner/groups.mjs';
import { runGroup } from './runner/runGroup.mjs';
import { deviations, keepTimes, longestFirst } from './runner/times.mjs';

/** Number of the slowest tests and hooks to list. */
const SLOWEST_COUNT = 20;
/** Number of groups at a time: one more than the cores, as VS Code and servers often wait, but at most 8 for memory. */
const AT_A_TIME = Math.min(availableParallelism(), 7) + 1;

process.chdir(path.resolve(import.meta.dirname, '..'));
const args = process.argv.slice(2).filter((arg) => arg !== '--keep-times');
const firstMochaArg = args.findIndex((arg) => !PART_NAMES.includes(arg));
const chosenParts = firstMochaArg < 0 ? args : args.slice(0, firstMochaArg);
const mochaArgs = args.slice(chosenParts.length);
const isFullRun = args.length === 0;
/** Cache folder of the tests, so that their measurements on a busy machine do not reach the user's server. */
const cache = mkdtempSync(path.join(tmpdir(), 'flashline-cache-'));
const results = [];
let failed = 0;

try {
  await import('./build.mjs');
  await runAll(chosenGroups());
  if (results.every(({ pass, fail }) => pass + fail === 0)) throw new Error('No test ran.');
  if (isFullRun && (isNightly || process.argv.includes('--keep-times'))) keepTimes(results);
} catch (error) {
  if (error instanceof SetupError) console.error(`${error.output}\n${error.message}`);
  // esbuild has printed its errors.
  else if (error.errors === undefined) console.error(error);
  failed += 1;
} finally {
  rmSync(cache, { recursive: true, force: true });
}
printSummary();
failed += sum('fail');
console.log(`${sum('pass')} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Returns the groups to run. A named part runs even if its files have not changed. */
function chosenGroups() {
  const changed = chosenParts.length > 0 ? undefined : changedFiles();
  const environment = { ...process.env, FLASHLINE_CACHE: cache };
  if (changed !== undefined && !isNightly) {
    environment.FLASHLINE_CHANGED_FILES = changed.join('\n');
    console.log('Tests of training code and of commands in pages run only if their files have changed.');
  }
  return groupsOf(chosenParts.length === 0 ? PART_NAMES : chosenParts, changed, environment);
}

/** Runs the groups, and prints the output of each when it ends. */
async function runAll(groups) {
  const waiting = longestFirst(groups).values();
  const worker = async () => {
    for (const group of waiting) {
      const result = await runGroup(group, mochaArgs);
      process.stdout.write(result.output);
      results.push(result);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}

function printSummary() {
  const slowest = results.flatMap(({ times }) => times).toSorted((a, b) => b.ms - a.ms);
  if (slowest.length > 0) console.log(`\nThe slowest of ${slowest.length} tests and hooks:`);
  for (const { title, ms } of slowest.slice(0, SLOWEST_COUNT))
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${title}`);
  console.log('\nGroups: seconds, and CPU seconds and peak memory of their own process:');
  for (const { name, seconds, cpuSeconds, peakBytes } of results.toSorted((a, b) => b.seconds - a.seconds)) {
    const memory = `${(peakBytes / 1e6).toFixed(0)} MB`;
    const [elapsed, cpu] = [seconds, cpuSeconds].map((value) => value.toFixed(0).padStart(6));
    console.log(`${elapsed} s  ${cpu} s  ${memory.padStart(8)}  ${name}`);
  }
  if (isFullRun) for (const line of deviations(results)) console.log(line);
}

function sum(event) {
  return results.reduce((total, result) => total + result[event], 0);
}
