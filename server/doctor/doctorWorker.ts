// The process in which the doctor runs what might end a process: one question at a time, each answered by a message.
// Ends with the process that asks. Loads the native addon with the first question, so that a failure is an answer.
import { failureOf } from '../rules/inputError';
import type { DeviceName } from '../models/mlx/device';
import type { Check } from './checkPair';
import { readGoldens } from './goldens';
import type { Measures } from './measure';
import type { Mode } from './modes';

export interface Addon {
  readonly version: string;
  /** What MLX says about the GPU; undefined without one. */
  readonly gpu: Readonly<Record<string, unknown>> | undefined;
}

export type Question =
  | { readonly kind: 'addon' }
  | { readonly kind: 'pair'; readonly mode: Mode }
  | { readonly kind: 'measure'; readonly device: DeviceName };

export type Answer = { readonly result: Addon | Check | Measures } | { readonly problem: string };

export function doctorWorker(): void {
  process.on('message', (question: Question) => {
    answer(question).then(
      (result) => process.send?.({ result } satisfies Answer),
      (error: unknown) => process.send?.({ problem: failureOf(error).message } satisfies Answer),
    );
  });
  process.once('disconnect', () => process.exit());
}

async function answer(question: Question): Promise<Addon | Check | Measures> {
  if (question.kind === 'addon') {
    const { addonVersion, gpuFacts, hasGpu } = await import('../models/mlx/binding');
    return { version: addonVersion(), gpu: hasGpu ? (gpuFacts() ?? {}) : undefined };
  }
  const goldens = readGoldens();
  if (question.kind === 'measure') return await (await import('./measure')).measure(question.device, goldens);
  const { checkPair } = await import('./checkPair');
  const { mode } = question;
  return await checkPair(isSlow(mode) ? goldens.slice(0, 1) : goldens, mode);
}

/** A CPU reads packed weights anew for each row. */
const isSlow = ({ device, weights }: Mode): boolean => device === 'cpu' && weights === 'packed';
