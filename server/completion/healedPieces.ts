// The output after the cursor, piece by piece, from a prompt that ends at a token border. Should the model go on
// differently from what the person has typed, the prompt that ends at the cursor is decoded instead.
import type { CompletionContext } from './context';
import type { Decoder } from './decoder';
import { healing, type Healing } from './healing';
import { completionPrompt } from './prompt';
import type { Snippet } from './snippets';

export interface HealedRequest {
  readonly context: CompletionContext;
  readonly snippets: readonly Snippet[];
  /** Tokens for the prompt and for the output. */
  readonly budget: number;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  readonly related?: readonly number[];
}

export async function* healedPieces(
  request: HealedRequest,
  decoder: Decoder,
): AsyncGenerator<string, void, undefined> {
  const { prefix } = request.context;
  const healed = healing(prefix, decoder);
  if (healed && (yield* continued(request, decoder, healed))) return;
  if (!request.signal.aborted) yield* continued(request, decoder, { kept: prefix, removed: '' });
}

/** Gives out what follows `removed`; false when the output does not begin with it, and nothing was given out. */
async function* continued(
  { context, snippets, budget, maxTokens, signal, related }: HealedRequest,
  decoder: Decoder,
  { kept, removed }: Healing,
): AsyncGenerator<string, boolean, undefined> {
  const prompt = completionPrompt({ context, prefix: kept, snippets, budget }, decoder);
  if (prompt === undefined) return false;
  let missing = removed;
  const { ids, stopStrings, stopTokenIds } = prompt;
  const limits = { maxTokens, stopStrings, stopTokenIds, signal, ...(related && { related }) };
  for await (const { text } of decoder.decode(ids, limits)) {
    const shared = Math.min(text.length, missing.length);
    if (text.slice(0, shared) !== missing.slice(0, shared)) return false;
    missing = missing.slice(shared);
    if (text.length > shared) yield text.slice(shared);
  }
  return missing === '';
}
