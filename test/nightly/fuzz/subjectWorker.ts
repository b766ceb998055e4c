// The process of a subject: opens the kind that it is told, in place of the one before, and tries a whole run, or one input
// that it is sent. Whatever an input does to this process, the harness is another one. An error that nobody has caught is
// the input's too.
import { ftruncateSync, openSync, writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { AnyKind, Subject } from './kind';
import { kinds } from './kinds';
import { runInputs, textOf, type RunOptions, type RunResult } from './runInputs';

/** What the harness sends. */
export type Task = { readonly open: string } | { readonly input: unknown } | { readonly run: RunOptions };
/** What it gets; a failure as text, as errors lose their class on the way. */
export type Reply = Partial<RunResult> | { readonly failure: string };

const [progressFile = ''] = process.argv.slice(2);
const uncaught: unknown[] = [];
process.on('uncaughtException', (error) => void uncaught.push(error));
process.on('unhandledRejection', (error) => void uncaught.push(error));

/** Throws what was thrown beside the inputs. */
function watched(subject: Subject<unknown>): Subject<unknown> {
  const throwUncaught = (): void => {
    if (uncaught.length > 0) throw uncaught.splice(0)[0];
  };
  return {
    attempt: async (input) => {
      await subject.attempt(input);
      throwUncaught();
    },
    sound: async () => {
      await subject.sound();
      // What is thrown beside a request comes a turn later.
      await turn();
      throwUncaught();
    },
    close: () => subject.close?.(),
  };
}

interface Opened {
  readonly kind: AnyKind;
  readonly subject: Subject<unknown>;
}

let opened: Opened | undefined;
const progress = openSync(progressFile, 'w');

async function open(name: string): Promise<Opened> {
  const kind = kinds.find((each) => each.name === name);
  if (kind === undefined) throw new RangeError(`Expected a kind of input, got ${name}; see kinds.ts`);
  await opened?.subject.close?.();
  ftruncateSync(progress);
  return { kind, subject: watched(await kind.open()) };
}

async function run(task: Task): Promise<Partial<RunResult>> {
  if ('open' in task) {
    opened = await open(task.open);
    return {};
  }
  if (opened === undefined) throw new RangeError('Expected a kind that is open, got none; open one');
  const { kind, subject } = opened;
  // Written at once, as this process may be gone at the next moment.
  if ('run' in task)
    return await runInputs(kind, subject, task.run, (at) => void writeSync(progress, String(at), 0));
  await subject.attempt(task.input);
  await subject.sound();
  return {};
}

async function reply(task: Task): Promise<Reply> {
  return await run(task).catch((error: unknown) => ({ failure: textOf(error) }));
}

process.on('message', (task: Task) => {
  void reply(task).then((answer) => process.send?.(answer));
});
process.once('disconnect', () => process.exit(0));
