// Runs one group of tests in a process and counts its results. A crash counts as a failure, and so does a process that
// cannot end because its tests left something open.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';

/** Longest time from the last test to the end of the process; test/tally.mjs reports open handles earlier. */
const HANG_MS = 180_000;

/**
 * Resolves when the process has ended, with its counts, its output, the times of its tests and hooks, its duration, and
 * its CPU seconds and peak memory without child processes.
 */
export async function runGroup({ part, name, args, env }, mochaArgs) {
  const began = performance.now();
  const [program, ...rest] = args;
  const child = fork(program, [...rest, ...mochaArgs], {
    execArgv: ['--enable-source-maps'],
    env,
    silent: true,
  });
  const group = { part, name, pass: 0, fail: 0, output: '', times: [], cpuSeconds: 0, peakBytes: 0 };
  const state = follow(child, group);
  const [code, signal] = await once(child, 'close');
  clearTimeout(state.hangTimer);
  if (!state.isFinished) {
    group.output += `The tests of ${name} did not finish: they ended with ${signal ?? `exit code ${code}`}.\n`;
    group.fail += 1;
  }
  // With arguments such as --grep, a group can have no test to run.
  const hasRun = group.pass + group.fail > 0 || mochaArgs.length > 0;
  if (group.fail === 0 && ((code !== 0 && !state.isStuck) || !hasRun)) group.fail += 1;
  return { ...group, seconds: (performance.now() - began) / 1000 };
}

/**
 * Adds the output and the reports of the process to `group`. Returns a state that changes with them: `isFinished` once
 * all tests have run, `isStuck` once a process that left nothing open was killed because it did not end by itself, and
 * the timer that kills it.
 */
function follow(child, group) {
  const state = { isFinished: false, isStuck: false, hangTimer: undefined };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (group.output += text));
  child.on('message', ({ event, title, ms, cpuSeconds = 0, peakBytes = 0 }) => {
    if (event === 'pass' || event === 'fail') group[event] += 1;
    if (ms !== undefined) group.times.push({ title: `${group.name}: ${title}`, ms });
    if (event === 'open') {
      group.output += `The tests of ${group.name} left something open: ${title}.\n`;
      child.kill('SIGKILL');
    }
    if (event !== 'end') return;
    Object.assign(group, { cpuSeconds, peakBytes });
    state.isFinished = true;
    state.hangTimer = setTimeout(() => {
      // The shutdown of Node.js can deadlock (nodejs/node#54918), which is not the fault of a test.
      group.output += `The tests of ${group.name} left nothing open, but Node did not end by itself.\n`;
      state.isStuck = true;
      child.kill('SIGKILL');
    }, HANG_MS);
  });
  return state;
}
