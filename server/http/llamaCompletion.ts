// POST /completion: continues a prompt, with the fields of llama.cpp's server.
import * as z from 'zod/mini';
import type { LoadedModel } from '../hosting/loadedModel';
import { choices, type Generation } from './generation';
import { LLAMA_FIELDS, llamaAnswers } from './llamaAnswers';
import { encodeFitting } from './promptCheck';
import { wireOptions } from './wireOptions';

const NO_LIMIT = 100_000;
export const LLAMA_BODY = z.object({
  ...LLAMA_FIELDS,
  prompt: z.custom<string | readonly (string | number)[]>(isPrompt, {
    error: 'a string, or a list of strings and token ids that make up one prompt',
  }),
});

export async function llamaCompletion(
  asked: z.infer<typeof LLAMA_BODY>,
  model: LoadedModel,
  wantsStats: boolean,
): Promise<Generation> {
  const { promptOnly, maxTokens: limit, ...options } = wireOptions(asked);
  const maxTokens = limit ?? NO_LIMIT;
  const n = asked.n_cmpl ?? asked.n ?? 1;
  const promptIds = await promptOf(asked.prompt, model);
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

function isPrompt(value: unknown): boolean {
  const isPart = (part: unknown): boolean => typeof part === 'string' || Number.isSafeInteger(part);
  return typeof value === 'string' || (Array.isArray(value) && value.every(isPart));
}

/** What a list begins with begins the text; in the rest only special tokens that are spelled out are told apart. */
async function promptOf(
  prompt: z.infer<typeof LLAMA_BODY>['prompt'],
  model: LoadedModel,
): Promise<readonly number[]> {
  const ids: (number | readonly number[])[] = [];
  for (const part of typeof prompt === 'string' ? [prompt] : prompt) {
    const begun = { how: 'encodePrompt', input: String(part) } as const;
    const other = { how: 'encodeParts', input: [{ text: String(part), from: 'template' }] } as const;
    if (typeof part === 'number') ids.push(part);
    else ids.push(await encodeFitting(ids.length === 0 ? begun : other, model));
  }
  return ids.flat();
}
