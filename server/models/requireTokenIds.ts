// Whether the ids in a tokenizer.json are such that they can go to MLX.
import { quoted } from '../inputError';
import type { ConfigFields } from './configFields';

/** The library takes anything for an id; what comes out of it goes to MLX. Lists have no ids of their own. */
export function requireTokenIds(tokenizer: ConfigFields): void {
  const model = tokenizer.nested('model');
  const isList = Array.isArray(model.raw('vocab')) && (model.raw('type') ?? 'Unigram') === 'Unigram';
  const vocabulary = isList ? [] : Object.values(model.nested('vocab').object);
  const added = tokenizer.has('added_tokens') ? tokenizer.raw('added_tokens') : [];
  const ids = Array.isArray(added)
    ? added.map((token: unknown) => (token as { id?: unknown } | null)?.id)
    : [NaN];
  for (const id of [...vocabulary, ...ids])
    if (!Number.isInteger(id) || Number(id) < 0)
      throw tokenizer.refusal('whole numbers as the ids of tokens', quoted(id));
}
