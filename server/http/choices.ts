// Several texts for several prompts, numbered as in OpenAI's API: all texts of the first prompt first.
import { severalSeeds, type SamplingOptions } from '../engine/request/sampling';
import { HttpError } from './httpError';

/** Of one request; each costs a decode. */
const MAX_CHOICES = 128;

/** The texts of a prompt have seeds that count up from the first one. */
export function choices<T>(prompts: readonly T[], n: number, sampling: SamplingOptions) {
  const samplings = n === 1 ? [sampling] : severalSeeds(sampling, n);
  return prompts.flatMap((prompt, i) =>
    samplings.map((each, j) => ({ ...prompt, index: i * n + j, sampling: each })),
  );
}

/** How the others of several texts are drawn, where the first is the most probable one: as in the editor. */
const DRAWN = { temperature: 0.8, topP: 0.95 };

/** Where nothing was said about chance, the first text is the most probable one, and the same request gives the same. */
export function alternatives(sampling: SamplingOptions, n: number): SamplingOptions[] {
  if (n === 1 || sampling.temperature !== undefined) return n === 1 ? [sampling] : severalSeeds(sampling, n);
  const [, ...others] = severalSeeds({ seed: 0, ...DRAWN, ...sampling }, n);
  return [sampling, ...others];
}

/** Throws HttpError for too many texts of all prompts together, or none. */
export function requireCount(count: number): void {
  if (count > 0 && count <= MAX_CHOICES) return;
  const expected = `from 1 to ${String(MAX_CHOICES)} texts in one request`;
  const message = `Expected ${expected}, got ${String(count)}; change the number of prompts, or n`;
  throw new HttpError(400, { message, param: count === 0 ? 'prompt' : 'n', code: 'invalid_value' });
}
