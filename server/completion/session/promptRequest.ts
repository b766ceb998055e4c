// Turns a request for suggestions into a request to the model: the parts of the prompt, and the limits of the output.
import { healing } from '../prompt/healing';
import type { CursorOutputRequest } from '../prompt/cursorOutput';
import { completionPrompt } from '../prompt/prompt';
import { promptBudget, USUAL_PROMPT_TOKENS } from '../prompt/promptTokens';
import { snippetBudget } from '../prompt/quotedFiles';
import type { SuggestionRequest, SuggestionResources } from './suggestionRequest';

/** Returns the parts of the prompt and the limits of the decode. */
export function promptRequest(
  { context, settings, signal }: SuggestionRequest,
  { decoder, promptTokens = USUAL_PROMPT_TOKENS, snippets }: SuggestionResources,
): CursorOutputRequest {
  const { contextTokens, tokenizer } = decoder;
  const { maxSuggestionTokens, hideBelow } = settings;
  const budget = Math.min(promptBudget(contextTokens, maxSuggestionTokens), promptTokens);
  return {
    context,
    snippets: snippets?.(snippetBudget(budget, context)) ?? [],
    budget,
    maxTokens: Math.min(maxSuggestionTokens, contextTokens - budget),
    ...(hideBelow > 0 && { greedyLogprobs: true }),
    signal,
    // Without the part of the line before the cursor: all other text stays the same at the next key, so the tokenizer
    // has it in its cache.
    promptLookupIds: tokenizer.encodeText(`${context.suffix}\n${context.above}`),
  };
}

/**
 * Fills the prompt cache for a later request at the same cursor: prefill plus one token, the least that can be
 * decoded.
 */
export async function prefill(request: SuggestionRequest, resources: SuggestionResources): Promise<void> {
  const { decoder } = resources;
  const { context, snippets, budget, signal, promptLookupIds } = promptRequest(request, resources);
  const prefix = healing(context.prefix, decoder.tokenizer)?.kept ?? context.prefix;
  const prompt = completionPrompt({ context, prefix, snippets, budget }, decoder);
  if (prompt === undefined) return;
  const { ids, ...limits } = prompt;
  const pieces = decoder.decode(ids, { ...limits, maxTokens: 1, signal, promptLookupIds });
  for await (const _ of pieces) return;
}
