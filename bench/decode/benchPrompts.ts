// Builds the prompts of the benchmarks at each of the bundled places.
import { bundledExamples, holePrompt, tokenizerOf, type PromptModel } from '../../server/cli/complete';
import type { PromptForm } from '../../server/cli/chatPrompts';
import { promptBudget } from '../../server/completion/prompt/fillIn';
import { readSourceLocation, type SourceLocation } from '../../server/cli/sourceLocation';

/** Returns a prompt per place: a message in the target's chat template, with the request to continue the file. */
export function chatPrompts(
  form: Pick<PromptForm, 'encode'>,
  places: readonly Place[] = bundledExamples().map(readSourceLocation),
): (readonly number[])[] {
  return places.map(({ fileName, prefix }) =>
    form.encode(`Continue the file ${fileName} after its last line:\n\n\`\`\`\n${prefix}\n\`\`\``),
  );
}

/** The text around a cursor. */
export type Place = Pick<SourceLocation, 'fileName' | 'prefix' | 'suffix'>;

/**
 * Returns two prompts per place: one with the text after the cursor, for which a good answer can be short, and one
 * without it, for which the text continues.
 */
export function benchPrompts(
  model: PromptModel,
  maxTokens: number,
  places: readonly Place[] = bundledExamples().map(readSourceLocation),
): number[][] {
  return places.flatMap((place) => [
    [...holePrompt(model, place, maxTokens).promptIds],
    continuationPrompt(model, place, maxTokens),
  ]);
}

/** Returns a prompt to continue the text before the cursor, ignoring the text after it. */
function continuationPrompt(model: PromptModel, { prefix }: Place, maxTokens: number): number[] {
  const tokenizer = tokenizerOf(model);
  const { ids: start, space } = tokenizer.textStart;
  const ids = tokenizer.encodeText(space + prefix);
  return [...start, ...ids.slice(start.length - promptBudget(model.config.maxPositionEmbeddings, maxTokens))];
}
