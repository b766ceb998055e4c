// Builds the prompts of the benchmarks, at the cursors of the bundled examples.
import { bundledExamples } from '../../server/cli/bundledExamples';
import { holePrompt, tokenizerOf, type FillInModel } from '../../server/cli/fillIn';
import type { PromptEncoder } from '../../server/cli/promptEncoder';
import { promptBudget } from '../../server/completion/prompt/promptTokens';
import { readSourceLocation, type SourceLocation } from '../../server/cli/sourceLocation';

/** Returns a prompt per cursor: a message in the target's chat template, with the request to continue the file. */
export function chatPrompts(
  encoder: Pick<PromptEncoder, 'encode'>,
  cursors: readonly CursorText[] = bundledExamples().map(readSourceLocation),
): (readonly number[])[] {
  return cursors.map(({ fileName, prefix }) =>
    encoder.encode(`Continue the file ${fileName} after its last line:\n\n\`\`\`\n${prefix}\n\`\`\``),
  );
}

/** The text around a cursor. */
export type CursorText = Pick<SourceLocation, 'fileName' | 'prefix' | 'suffix'>;

/**
 * Returns two prompts per cursor: one with the text after the cursor, for which a good answer can be short, and one
 * without it, for which the text continues.
 */
export function benchPrompts(
  model: FillInModel,
  maxTokens: number,
  cursors: readonly CursorText[] = bundledExamples().map(readSourceLocation),
): number[][] {
  return cursors.flatMap((cursor) => [
    [...holePrompt(model, cursor, maxTokens).promptIds],
    continuationPrompt(model, cursor, maxTokens),
  ]);
}

/** Returns a prompt to continue the text before the cursor, ignoring the text after it. */
function continuationPrompt(model: FillInModel, { prefix }: CursorText, maxTokens: number): number[] {
  const tokenizer = tokenizerOf(model);
  const { ids: start, space } = tokenizer.textStart;
  const ids = tokenizer.encodeText(space + prefix);
  return [...start, ...ids.slice(start.length - promptBudget(model.config.maxPositionEmbeddings, maxTokens))];
}
