// POST /v1/fim/completions: fills in between two texts as Mistral's API does, for clients of Codestral such as Continue.
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { LoadedModel } from '../hosting/loadedModel';
import type { Generation, Outcome } from './generation';
import { infill, INFILL_BODY } from './infill';
import { FLAG, TEXT } from './requestBody';
import { ownStats, usage } from './usage';
import { OPTION_FIELDS } from './wireOptions';

export const FIM_BODY = z.object({
  ...OPTION_FIELDS,
  prompt: TEXT,
  suffix: z._default(TEXT, ''),
  random_seed: OPTION_FIELDS.seed,
  stream: z._default(FLAG, false),
});

export async function fimCompletions(
  asked: z.infer<typeof FIM_BODY>,
  model: LoadedModel,
  wantsStats: boolean,
): Promise<Generation> {
  const { prompt, suffix, random_seed: seed = asked.seed, stream, ...options } = asked;
  const hole = INFILL_BODY.parse({ input_prefix: prompt, input_suffix: suffix, stream });
  const { choices } = await infill({ ...hole, ...options, seed }, model, wantsStats);
  const head = {
    id: `fim-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: model.info.target,
  };
  const chunk = (content: string, finish: Outcome['finish'] | null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish }],
  });
  return {
    choices,
    stream,
    done: true,
    piece: (_, { text }) => chunk(text, null),
    closing: (outcome) => ({
      ...chunk('', outcome.finish),
      usage: usage([outcome]),
      ...ownStats([outcome], wantsStats),
    }),
    whole: (outcomes) => ({
      ...head,
      object: 'chat.completion',
      choices: outcomes.map(({ text, finish }) => ({
        index: 0,
        message: { role: 'assistant', content: text },
        finish_reason: finish,
      })),
      usage: usage(outcomes),
      ...ownStats(outcomes, wantsStats),
    }),
  };
}
