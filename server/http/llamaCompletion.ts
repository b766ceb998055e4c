// POST /completion: continues a prompt, with the fields of llama.cpp's server.
import * as z from 'zod/mini';
import type { LoadedModel } from '../hosting/loadedModel';
import { choices, requireCount } from './choices';
import type { Generation } from './generation';
import { LLAMA_FIELDS, llamaAnswers } from './llamaAnswers';
import { tokenizerOf } from './modelFields';
import { requireRoom } from './promptCheck';
import { parsed, TEXT, type Fields } from './requestBody';
import { wireOptions } from './wireOptions';

const NO_LIMIT = 100_000;
const ID = z.number().check(z.int());
const BODY = z.object({
  ...LLAMA_FIELDS,
  prompt: z.union([TEXT, z.array(z.union([TEXT, ID]))], {
    error: 'a string, or a list of strings and token ids that make up one prompt',
  }),
});

export function llamaCompletion(body: Fields, model: LoadedModel, wantsStats: boolean): Generation {
  const asked = parsed(BODY, body);
  const { promptOnly, maxTokens: limit, ...options } = wireOptions(body);
  const maxTokens = limit ?? NO_LIMIT;
  const n = asked.n_cmpl ?? asked.n ?? 1;
  requireCount(n);
  const promptIds = promptOf(asked.prompt, model);
  // Without a limit, what goes round in circles would take all of the context.
  const repetitionGuard = limit === undefined;
  const request = { repetitionGuard, ...options, maxTokens, fresh: !asked.cache_prompt };
  return {
    choices: choices([{ promptIds }], n, options.sampling).map(({ sampling, ...choice }) => ({
      ...choice,
      promptOnly,
      sharing: '',
      request: { ...request, sampling },
    })),
    ...llamaAnswers({ asked, options, maxTokens, isCut: false, model, wantsStats }),
  };
}

/** What a list begins with begins the text; in the rest only special tokens that are spelled out are told apart. */
function promptOf(prompt: z.infer<typeof BODY>['prompt'], model: LoadedModel): readonly number[] {
  const tokenizer = tokenizerOf(model);
  const parts = typeof prompt === 'string' ? [prompt] : prompt;
  return parts.flatMap((part, i) => {
    if (typeof part === 'number') return [part];
    const encode = (text: string): readonly number[] =>
      i === 0 ? tokenizer.encodePrompt(text) : tokenizer.encodeParts([{ text, from: 'template' }]);
    requireRoom(part, encode, model);
    return encode(part);
  });
}
