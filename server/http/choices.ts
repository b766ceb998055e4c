// Several texts for several prompts, numbered as in OpenAI's API: all texts of the first prompt first.
import { severalSeeds, type SamplingOptions } from '../engine/sampling/sampling';
import { HttpError } from './httpError';

/** Of one request; each costs a decode. */
const MAX_CHOICES = 128;

/** The texts of a prompt have seeds that count up from the first one. */
export function choices(prompts: readonly (readonly number[])[], n: number, sampling: SamplingOptions) {
  const samplings = n === 1 ? [sampling] : severalSeeds(sampling, n);
  return prompts.flatMap((promptIds, i) =>
    samplings.map((each, j) => ({ index: i * n + j, promptIds, sampling: each })),
  );
}

/** Throws HttpError for too many texts of all prompts together, or none. */
export function requireCount(count: number): void {
  if (count > 0 && count <= MAX_CHOICES) return;
  const expected = `from 1 to ${String(MAX_CHOICES)} texts in one request`;
  const message = `Expected ${expected}, got ${String(count)}; change the number of prompts, or n`;
  throw new HttpError(400, { message, param: count === 0 ? 'prompt' : 'n', code: 'invalid_value' });
}
