// What the benchmarks ask for at each of the bundled places.
import { bundledExamples } from '../complete';
import { continuationPrompt, infillPrompt, type PromptModel } from '../placePrompts';
import { readSourceLocation } from '../sourceLocation';

/**
 * Two prompts for each place: one with the text behind the cursor, where a good answer may be short, and one without
 * it, where the text goes on.
 */
export function benchPrompts(model: PromptModel, maxTokens: number): number[][] {
  return bundledExamples()
    .map(readSourceLocation)
    .flatMap((place) => [infillPrompt(model, place, maxTokens), continuationPrompt(model, place, maxTokens)]);
}
