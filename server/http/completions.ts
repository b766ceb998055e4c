// POST /v1/completions: continues prompts, or fills in before a suffix. OpenAI's fields, with some of vLLM's.
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { fimEndTokenIds } from '../completion/prompt/fimForm';
import { withLf } from '../completion/text/lineEnds';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { LoadedModel } from '../hosting/loadedModel';
import { isInRange, whole } from '../rules/numberRange';
import { choices, type Choice, type Generation, type Outcome } from './generation';
import { CompletionLogprobs, spelled } from './logprobFields';
import { tokenizerOf } from './modelFields';
import { encodeFitting, encodeHole } from './promptCheck';
import { COUNT, FLAG, isIds, supported, TEXT } from './requestBody';
import { ownStats, STREAM_OPTIONS, usage, usageSoFar } from './usage';
import { converted, LOGPROBS, OPTION_FIELDS, wireOptions } from './wireOptions';

/** OpenAI's default. */
const MAX_TOKENS = 16;

/** Texts of one request; each costs a decode. */
const MAX_TEXTS = 128;
type OnePrompt = string | readonly number[];
const FIELDS = z.object({
  ...OPTION_FIELDS,
  prompt: z.optional(
    z.custom<OnePrompt | readonly OnePrompt[]>(isPrompt, {
      error: 'a string, a list of strings, token ids or a list of lists of token ids',
    }),
  ),
  suffix: z._default(TEXT, ''),
  logprobs: converted((value) => (value === false ? undefined : value), LOGPROBS),
  n: z._default(COUNT(1, MAX_TEXTS), 1),
  best_of: z.optional(COUNT(1, MAX_TEXTS)),
  stream: z._default(FLAG, false),
  stream_options: z.optional(STREAM_OPTIONS),
  echo: z._default(FLAG, false),
  cache_prompt: z.optional(FLAG),
});
type Asked = z.infer<typeof FIELDS>;

export const COMPLETION_BODY = FIELDS.check(
  supported<Asked>('best_of', ({ n, best_of = n }) => best_of === n, {
    instead: 'ask for as many texts with n',
  }),
  supported<Asked>(
    'suffix',
    ({ prompt, suffix }) => suffix === '' || promptsOf(prompt).every((each) => typeof each === 'string'),
    { what: 'suffix with token ids', instead: 'give the prompt as text' },
  ),
  supported<Asked>('echo', ({ echo, logprobs, suffix }) => !echo || logprobs === undefined || suffix === '', {
    what: 'echo with logprobs and suffix',
  }),
  z.refine(({ prompt, n }) => isInRange(promptsOf(prompt).length * n, whole(1, MAX_TEXTS)), {
    path: ['prompt'],
    error: `prompts for 1 to ${String(MAX_TEXTS)} texts, n of each`,
  }),
);

export async function completions(
  asked: Asked,
  model: LoadedModel,
  wantsStats: boolean,
): Promise<Generation> {
  const { suffix, n, stream, echo, stream_options: streamOptions } = asked;
  const { promptOnly, maxTokens = MAX_TOKENS, ...options } = wireOptions(asked);
  const tokenizer = tokenizerOf(model);
  const prompts = promptsOf(asked.prompt);
  const isFillIn = suffix !== '';
  const read: Pick<Choice, 'promptIds' | 'healed' | 'lineEnd'>[] = [];
  for (const each of prompts) {
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
    return !echo ? '' : typeof given === 'string' ? given : spelled(promptIds, tokenizer);
  });
  const head = {
    id: `cmpl-${randomUUID()}`,
    object: 'text_completion',
    created: Math.floor(Date.now() / 1000),
    model: model.info.target,
  };
  const echoed = (index: number): string => texts[Math.floor(index / n)] ?? '';
  const count = options.sampling.logprobs;
  const promptLogprobs = echo ? count : undefined;
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
    opening: echo
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

function isPrompt(value: unknown): value is OnePrompt | readonly OnePrompt[] {
  if (typeof value === 'string' || isIds(value)) return true;
  return Array.isArray(value) && (value.every((each) => typeof each === 'string') || value.every(isIds));
}

function promptsOf(prompt: Asked['prompt']): readonly OnePrompt[] {
  if (typeof prompt === 'string' || prompt === undefined) return [prompt ?? ''];
  const isOne = (value: readonly unknown[]): value is readonly number[] => typeof value[0] === 'number';
  return isOne(prompt) ? [prompt] : prompt;
}
