// Reads a prompt before anybody asks for a suggestion there, so that the first key finds all but its end in memory.
import { healing } from '../text/healing';
import { completionPrompt } from '../prompt/prompt';
import { askedOf, type SuggestRequest, type SuggestTools } from './suggest';

/** The prompt is the one that a request would have; of the answer one token is computed, as no less can be asked. */
export async function readAhead(request: SuggestRequest, tools: SuggestTools): Promise<void> {
  const { decoder } = tools;
  const { context, snippets, budget, signal, promptLookupText } = askedOf(request, tools);
  const prefix = healing(context.prefix, decoder.tokenizer)?.kept ?? context.prefix;
  const prompt = completionPrompt({ context, prefix, snippets, budget }, decoder);
  if (prompt === undefined) return;
  const { ids, ...limits } = prompt;
  const pieces = decoder.decode(ids, { ...limits, maxTokens: 1, signal, promptLookupText });
  for await (const _ of pieces) return;
}
