// What the benchmarks ask for at each of the bundled places.
import type { FimLayout } from '../../completion/decoder';
import { bundledExamples } from '../complete';
import { continuationPrompt, infillPrompt, type PromptModel } from '../infillPrompt';
import { readSourceLocation } from '../sourceLocation';

/**
 * Two prompts for each place: one with the text behind the cursor, where a good answer may be short, and one without
 * it, where the text goes on. `layout` is what the editor asks the model in.
 */
export function benchPrompts(model: PromptModel, maxTokens: number, layout: FimLayout): number[][] {
  const places = bundledExamples().map(readSourceLocation);
  return places.flatMap((place) => [
    infillPrompt(model, place, maxTokens, layout),
    continuationPrompt(model, place, maxTokens),
  ]);
}
