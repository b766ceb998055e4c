// POST /v1/completions: continues prompts, or fills in before a suffix. OpenAI's fields, with some of vLLM's.
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { fimEndTokenIds } from '../completion/prompt/fimForm';
import { withLf } from '../completion/text/lineEnds';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { LoadedModel } from '../hosting/loadedModel';
import { choices, requireCount } from './choices';
import type { Choice, Generation, Outcome } from './generation';
import { CompletionLogprobs, spelled } from './logprobFields';
import { tokenizerOf } from './modelFields';
import { wrongField } from './httpError';
import { encodeFitting, encodeHole } from './promptCheck';
import { COUNT, FLAG, parsed, TEXT, type Fields } from './requestBody';
import { ownStats, STREAM_OPTIONS, usage, usageSoFar } from './usage';
import { notSupported, wireOptions } from './wireOptions';

/** OpenAI's default. */
const MAX_TOKENS = 16;

const IDS = z.array(z.number().check(z.int()));
const BODY = z.object({
  model: z.optional(TEXT),
  prompt: z.optional(
    z.union([TEXT, IDS, z.array(TEXT), z.array(IDS)], {
      error: 'a string, a list of strings, token ids or a list of lists of token ids',
    }),
  ),
  suffix: z.optional(TEXT),
  n: z.optional(COUNT(1, 128)),
  best_of: z.optional(COUNT(1, 128)),
  stream: z.optional(FLAG),
  stream_options: z.optional(STREAM_OPTIONS),
  echo: z.optional(FLAG),
  cache_prompt: z.optional(FLAG),
});

export async function completions(
  body: Fields,
  model: LoadedModel,
  wantsStats: boolean,
): Promise<Generation> {
  const { prompt = '', suffix = '', n = 1, best_of = n, stream = false, ...asked } = parsed(BODY, body);
  if (body['logprobs'] === true) throw wrongField('logprobs', 'a whole number from 0 to 100', true);
  if (best_of !== n) throw notSupported('best_of', 'ask for as many texts with n');
  const { promptOnly, maxTokens = MAX_TOKENS, ...options } = wireOptions(body);
  const tokenizer = tokenizerOf(model);
  const prompts = promptsOf(prompt);
  const isFillIn = suffix !== '';
  requireCount(prompts.length * n);
  const read: Pick<Choice, 'promptIds' | 'healed' | 'lineEnd'>[] = [];
  for (const each of prompts) {
    if (isFillIn && typeof each !== 'string')
      throw notSupported('suffix with token ids', 'give the prompt as text');
    if (typeof each !== 'string') read.push({ promptIds: each });
    else if (isFillIn) read.push(await encodeHole({ prefix: each, suffix }, model, maxTokens));
    else read.push({ promptIds: await encodeFitting({ how: 'encodePrompt', input: each }, model) });
  }
  const ends = isFillIn ? fimEndTokenIds(tokenizer) : [];
  const request = {
    ...(isFillIn && { repetitionGuard: true }),
    ...options,
    maxTokens,
    ...(isFillIn && { stopStrings: options.stopStrings?.map(withLf) }),
    stopTokenIds: [...ends, ...(options.stopTokenIds ?? [])],
    fresh: asked.cache_prompt === false,
  };
  const texts = read.map(({ promptIds }, i) => {
    const given = prompts[i];
    return !asked.echo ? '' : typeof given === 'string' ? given : spelled(promptIds, tokenizer);
  });
  const head = {
    id: `cmpl-${randomUUID()}`,
    object: 'text_completion',
    created: Math.floor(Date.now() / 1000),
    model: model.info.target,
  };
  const echoed = (index: number): string => texts[Math.floor(index / n)] ?? '';
  const count = options.sampling.logprobs;
  const promptLogprobs = asked.echo ? count : undefined;
  if (promptLogprobs !== undefined && isFillIn) throw notSupported('echo with logprobs and suffix');
  const told = new Map<number, CompletionLogprobs>();
  const logprobsOf = (index: number, logprobs: readonly TokenLogprobs[], first?: number) => {
    if (count === undefined) return null;
    const own = told.get(index) ?? new CompletionLogprobs(tokenizer);
    told.set(index, own);
    return own.of(first === undefined ? logprobs : [{ token: first, logprob: null }, ...logprobs]);
  };
  const field = (index: number, text: string, logprobs: unknown, finish: Outcome['finish'] | null) => ({
    ...head,
    choices: [{ index, text, logprobs, finish_reason: finish }],
  });
  const { stream_options: streamOptions } = asked;
  return {
    choices: choices(read, n, options.sampling).map(({ sampling, ...choice }) => ({
      ...choice,
      sharing: '',
      promptLogprobs,
      promptOnly,
      request: { ...request, sampling },
    })),
    stream,
    done: true,
    opening: asked.echo
      ? ({ index, promptIds: [first] }, given) => ({
          ...field(index, echoed(index), given ? logprobsOf(index, given, first) : null, null),
          ...usageSoFar(streamOptions, wantsStats),
        })
      : undefined,
    piece: (choice, { text, logprobs = [] }, cost) => ({
      ...field(choice.index, text, logprobsOf(choice.index, logprobs), null),
      ...usageSoFar(streamOptions, wantsStats, { choice, ...cost }),
    }),
    closing: (outcome) => ({
      ...field(outcome.choice.index, '', null, outcome.finish),
      ...usageSoFar(streamOptions, wantsStats, outcome),
      ...ownStats([outcome], wantsStats),
    }),
    trailer: streamOptions?.include_usage
      ? (outcomes) => ({ ...head, choices: [], usage: usage(outcomes) })
      : undefined,
    whole: (outcomes) => ({
      ...head,
      choices: outcomes.map(
        ({ choice: { index, promptIds }, text, finish, result, skipped, promptLogprobs: given }) => {
          const own = promptOnly ? [] : (result.logprobs?.slice(skipped) ?? []);
          const logprobs = given
            ? logprobsOf(index, [...given, ...own], promptIds[0])
            : logprobsOf(index, own);
          return { index, text: echoed(index) + text, logprobs, finish_reason: finish };
        },
      ),
      usage: usage(outcomes),
      ...ownStats(outcomes, wantsStats),
    }),
  };
}

function promptsOf(prompt: z.infer<typeof BODY>['prompt']): readonly (string | readonly number[])[] {
  if (typeof prompt === 'string' || prompt === undefined) return [prompt ?? ''];
  const isIds = (value: readonly unknown[]): value is readonly number[] => typeof value[0] === 'number';
  return isIds(prompt) ? [prompt] : prompt;
}
