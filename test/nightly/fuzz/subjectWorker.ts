// The process in which subjects run: opens the requested kind in place of the one before, and tries a complete run or a
// single input. An input can crash this process but not the harness. An uncaught error counts as the input's failure.
import { ftruncateSync, openSync, writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { AnyKind, Subject } from './kind';
import { kinds } from './kinds';
import { runInputs, textOf, type RunOptions, type RunResult } from './runInputs';

/** Task from the harness. */
export type Task = { readonly kind: string } & ({ readonly input: unknown } | { readonly run: RunOptions });
/** Reply to the harness; a failure as text, as errors lose their class on the way. */
export type Reply = RunResult | { readonly failure: string };

const [progressFile = ''] = process.argv.slice(2);
const progress = openSync(progressFile, 'w');
const uncaught: unknown[] = [];
process.on('uncaughtException', (error) => void uncaught.push(error));
process.on('unhandledRejection', (error) => void uncaught.push(error));

/** Returns the subject with methods that also throw errors that it threw outside of their calls. */
function throwingUncaught(subject: Subject<unknown>): Subject<unknown> {
  const throwUncaught = (): void => {
    if (uncaught.length > 0) throw uncaught.splice(0)[0];
  };
  return {
    ...subject,
    attempt: async (input) => {
      await subject.attempt(input);
      throwUncaught();
    },
    checkValid: async () => {
      await subject.checkValid();
      // Errors outside of a request are thrown a turn later.
      await turn();
      throwUncaught();
    },
  };
}

let opened: { readonly kind: AnyKind; readonly subject: Subject<unknown> } | undefined;

async function open(name: string): Promise<NonNullable<typeof opened>> {
  if (opened?.kind.name === name) return opened;
  const kind = kinds.find((candidate) => candidate.name === name);
  if (kind === undefined) throw new RangeError(`Expected a kind of input, got ${name}; see kinds.ts`);
  await opened?.subject.close?.();
  ftruncateSync(progress);
  return (opened = { kind, subject: throwingUncaught(await kind.open()) });
}

async function runTask(task: Task): Promise<RunResult> {
  const { kind, subject } = await open(task.kind);
  // The number is written before each input, as the input can crash this process.
  if ('run' in task)
    return await runInputs(kind, subject, task.run, (index) => void writeSync(progress, String(index), 0));
  await subject.attempt(task.input);
  await subject.checkValid();
  return { inputs: 1 };
}

process.on('message', (task: Task) => {
  void runTask(task)
    .catch((error: unknown): Reply => ({ failure: textOf(error) }))
    .then((reply) => process.send?.(reply));
});
process.once('disconnect', () => process.exit(0));
