// The process in which the doctor runs what might end a process: one question at a time, each answered by a message.
// Ends with the process that asks. Loads the native addon with the first question, so that a failure is an answer.
import { failureOf } from '../inputError';
import type { DeviceName } from '../models/device';
import type { Check } from './checkNetworks';
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
  /** `folder` is for files. */
  | { readonly kind: 'family'; readonly index: number; readonly mode: Mode; readonly folder: string }
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
    const { addonVersion, gpuFacts, hasGpu } = await import('../models/binding');
    return { version: addonVersion(), gpu: hasGpu ? (gpuFacts() ?? {}) : undefined };
  }
  const { families, pair } = readGoldens();
  if (question.kind === 'measure') return await (await import('./measure')).measure(question.device, pair);
  const { checkFamily, checkPair } = await import('./checkNetworks');
  const { mode } = question;
  if (question.kind === 'pair') return await checkPair(isSlow(mode) ? pair.slice(0, 1) : pair, mode);
  const golden = families[question.index];
  if (golden === undefined) throw new RangeError(`Expected a family, got number ${String(question.index)}`);
  return await checkFamily(golden, mode, question.folder);
}

/** A CPU reads packed weights anew for each row. */
const isSlow = ({ device, weights }: Mode): boolean => device === 'cpu' && weights === 'packed';
