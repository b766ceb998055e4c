// POST /v1/completions: continues prompts, or fills in before a suffix. Has OpenAI's fields, and some of vLLM's.
import * as z from 'zod/mini';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { LocalModel } from '../hosting/model';
import { isInRange, wholeNumbers } from '../rules/numbers';
import { choices, type Choice, type Generation, type EncodedPrompt } from './generation';
import { CompletionLogprobs, spelled } from './logprobFields';
import { openAiAnswers, STREAM_OPTIONS } from './openAiAnswers';
import type { Endpoint } from './generationRequest';
import { encodeFitting, encodeHole, holeRequest, tokenizerOf } from './promptCheck';
import { COUNT, FLAG, isIds, supported, TEXT } from './requestBody';
import { converted, LOGPROBS, OPTION_FIELDS, wireRequest } from './wireRequest';

/** Length of an output without a limit: OpenAI's default. */
const MAX_TOKENS = 16;

/** Limit of texts per request; each costs a decode. */
const MAX_TEXTS = 128;
type OnePrompt = string | readonly number[];
const FIELDS = z.object({
  ...OPTION_FIELDS,
  prompt: z.pipe(
    z._default(
      z.custom<OnePrompt | readonly OnePrompt[]>(isPrompt, {
        error: 'a string, a list of strings, token ids or a list of lists of token ids',
      }),
      '',
    ),
    z.transform(promptsOf),
  ),
  suffix: z._default(TEXT, ''),
  logprobs: converted((value) => (value === false ? undefined : value), LOGPROBS),
  n: z._default(COUNT(1, MAX_TEXTS), 1),
  stream_options: z.optional(STREAM_OPTIONS),
  echo: z._default(FLAG, false),
});
type CompletionBody = z.infer<typeof FIELDS>;

const COMPLETION_BODY = FIELDS.check(
  supported<CompletionBody>(
    'suffix',
    ({ prompt, suffix }) => suffix === '' || prompt.every((part) => typeof part === 'string'),
    { what: 'suffix with token ids', instead: 'give the prompt as text' },
  ),
  supported<CompletionBody>(
    'echo',
    ({ echo, logprobs, suffix }) => !echo || logprobs === undefined || suffix === '',
    {
      what: 'echo with logprobs and suffix',
    },
  ),
  z.refine(({ prompt, n }) => isInRange(prompt.length * n, wholeNumbers(1, MAX_TEXTS)), {
    path: ['prompt'],
    error: `prompts for 1 to ${String(MAX_TEXTS)} texts, n of each`,
  }),
);

async function completions(body: CompletionBody, model: LocalModel): Promise<Generation> {
  const { suffix, n, echo } = body;
  const tokenizer = tokenizerOf(model);
  const { promptOnly, request: plain } = wireRequest(body, { defaultLimits: { maxTokens: MAX_TOKENS } });
  const request = suffix === '' ? plain : holeRequest(plain, tokenizer);
  const count = request.sampling.logprobs;
  const promptLogprobs = echo ? count : undefined;
  const read: EncodedPrompt[] = [];
  for (const given of body.prompt) {
    const prompt = await readPrompt(given, suffix, request.maxTokens, model);
    read.push({ ...prompt, promptLogprobs, promptOnly });
  }
  const all = choices(read, n, request);
  const textOf = (given: OnePrompt) => (typeof given === 'string' ? given : spelled(given, tokenizer));
  const echoed = echo ? body.prompt.map(textOf) : [];
  const echoOf = ({ index }: Choice): string => echoed[Math.floor(index / n)] ?? '';
  const logprobsOf = all.map(({ promptIds }) => new CompletionLogprobs(tokenizer, echo ? [] : promptIds));
  const entry = ({ index }: Choice, text: string, logprobs: Parameters<CompletionLogprobs['of']>[0]) => ({
    text,
    logprobs: count === undefined ? null : logprobsOf[index]?.of(logprobs),
  });
  const answers = openAiAnswers(
    body,
    {
      id: 'cmpl',
      object: 'text_completion',
      eventObject: 'text_completion',
      opening: echo ? (choice, given) => entry(choice, echoOf(choice), ofPrompt(choice, given)) : undefined,
      piece: ({ choice }, { text, logprobs = [] }) => entry(choice, text, logprobs),
      closing: () => ({ text: '', logprobs: null }),
      complete: ({ choice, text, logprobs = [], promptLogprobs: given }) =>
        entry(choice, echoOf(choice) + text, [...ofPrompt(choice, given), ...logprobs]),
    },
    model,
  );
  return { ...answers, choices: all };
}

async function readPrompt(
  given: OnePrompt,
  suffix: string,
  maxTokens: number,
  model: LocalModel,
): Promise<EncodedPrompt> {
  if (typeof given !== 'string') return { promptIds: given };
  if (suffix !== '') return await encodeHole({ prefix: given, suffix }, model, maxTokens);
  return { promptIds: await encodeFitting({ how: 'encodePrompt', input: given }, model) };
}

/** Returns the log-probabilities of all prompt tokens, the first without a value; empty if not requested. */
function ofPrompt({ promptIds: [first = 0] }: Choice, others: readonly TokenLogprobs[] | undefined) {
  return others ? [{ token: first, logprob: null }, ...others] : [];
}

function isPrompt(value: unknown): value is OnePrompt | readonly OnePrompt[] {
  if (typeof value === 'string' || isIds(value)) return true;
  return Array.isArray(value) && (value.every((part) => typeof part === 'string') || value.every(isIds));
}

function promptsOf(prompt: OnePrompt | readonly OnePrompt[]): readonly OnePrompt[] {
  if (typeof prompt === 'string') return [prompt];
  const isOne = (value: readonly unknown[]): value is readonly number[] => typeof value[0] === 'number';
  return isOne(prompt) ? [prompt] : prompt;
}

export const COMPLETIONS: Endpoint<CompletionBody> = { schema: COMPLETION_BODY, generation: completions };
