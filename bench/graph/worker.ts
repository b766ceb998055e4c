// One build of Flashline in a process of its own, which times steps or, with the argument "count", counts their native
// calls. Answers each message, and ends with the process that started it.
import { median } from '../../server/rules/median';
import { core } from '../../server/models/binding';
import { GraphSteps, STEPS, type Path, type StepTimes } from './graphSteps';
import { countCalls, takeCalls } from './countCalls';

export type GraphMessage =
  { readonly load: string; readonly path: Path } | { readonly repeats: number } | 'unload';

const counting = process.argv[2] === 'count';
// Where there is a GPU its graphs are compiled; here they are, too, but never computed.
core.enableCompile?.();
if (counting) countCalls();

let steps: GraphSteps | undefined;

async function answer(message: GraphMessage): Promise<unknown> {
  if (message === 'unload') {
    steps?.dispose();
    steps = undefined;
    return 'unloaded';
  }
  if ('load' in message) {
    steps = await GraphSteps.load(message.load, message.path);
    return 'loaded';
  }
  return counting ? await count() : await time(message.repeats);
}

/** Per step, after one run in which functions are traced. */
async function count(): Promise<number> {
  await steps?.run(() => undefined);
  const calls: number[] = [];
  await steps?.run(() => void calls.push(takeCalls()));
  // The first also has what came before it.
  return median(calls.slice(1));
}

async function time(repeats: number): Promise<StepTimes> {
  const times: StepTimes[] = [];
  while (times.length < repeats * STEPS) await steps?.run((step) => void times.push(step));
  return {
    buildMs: median(times.map(({ buildMs }) => buildMs)),
    freeMs: median(times.map(({ freeMs }) => freeMs)),
  };
}

process.on('message', (message: GraphMessage) => {
  answer(message).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    },
  );
});
process.once('disconnect', () => process.exit());
