// POST /v1/completions: continues prompts, or fills in the text before a suffix. Has OpenAI's fields, and some of vLLM's.
import * as z from 'zod/mini';
import { fimEndTokenIds } from '../completion/prompt/fimForm';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { LocalModel } from '../hosting/model';
import type { Tokenizer } from '../models/text/tokenizer';
import { isInRange, wholeNumbers } from '../rules/numbers';
import { choices, MAX_TEXTS, type Choice, type Generation, type EncodedPrompt } from './generation';
import { CompletionLogprobs, spelled } from './logprobFields';
import { type AnswerForm, openAiAnswers, STREAM_OPTIONS } from './openAiAnswers';
import type { Endpoint } from './generationRequest';
import { encodeFitting, encodeHole, holeRequest, tokenizerOf } from './promptEncoding';
import { COUNT, FLAG, isIds, supported, TEXT } from './fieldSchemas';
import { converted, LOGPROBS, OPTION_FIELDS, wireRequest } from './wireRequest';

/** Length of an output if the body has no limit: OpenAI's default. */
const DEFAULT_TOKENS = 16;
/** A prompt as text or token ids. */
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
    error: `1 to ${String(MAX_TEXTS)} prompts, each counted n times`,
  }),
);

async function completions(body: CompletionBody, model: LocalModel): Promise<Generation> {
  const { prompt: prompts, suffix, n, echo } = body;
  const tokenizer = tokenizerOf(model);
  const isHole = suffix !== '';
  const { promptOnly, request: plain } = wireRequest(body, model, {
    maxTokens: DEFAULT_TOKENS,
    endTokenIds: isHole ? fimEndTokenIds(tokenizer) : [],
  });
  const request = isHole ? holeRequest(plain) : plain;
  const { logprobs } = request.sampling;
  const encoded: EncodedPrompt[] = [];
  for (const prompt of prompts) {
    const encodedPrompt = await encodeOne(prompt, suffix, request.maxTokens, model);
    encoded.push({ ...encodedPrompt, promptLogprobs: echo ? logprobs : undefined, promptOnly });
  }
  const allChoices = choices(encoded, n, request);
  const form = completionForm(body, allChoices, tokenizer);
  return { ...openAiAnswers(body, form, model), choices: allChoices };
}

/** Returns the form of the answers; with `echo`, they begin with the prompt. */
function completionForm(
  { prompt: prompts, n, echo }: CompletionBody,
  allChoices: readonly Choice[],
  tokenizer: Tokenizer,
): AnswerForm {
  const textOf = (prompt: OnePrompt) => (typeof prompt === 'string' ? prompt : spelled(prompt, tokenizer));
  /** Texts of the prompts, spelled at the first use: until then, ids have not been checked. */
  let echoed: readonly string[] | undefined;
  const echoOf = ({ index }: Choice): string => {
    echoed ??= echo ? prompts.map(textOf) : [];
    return echoed[Math.floor(index / n)] ?? '';
  };
  const formatters = allChoices.map(
    ({ promptIds }) => new CompletionLogprobs(tokenizer, echo ? [] : promptIds),
  );
  const entry = (
    { index, request }: Choice,
    text: string,
    logprobs: Parameters<CompletionLogprobs['format']>[0],
  ) => ({
    text,
    logprobs: request.sampling?.logprobs === undefined ? null : formatters[index]?.format(logprobs),
  });
  return {
    id: 'cmpl',
    object: 'text_completion',
    eventObject: 'text_completion',
    opening: echo
      ? (choice, promptLogprobs) => entry(choice, echoOf(choice), withFirstToken(choice, promptLogprobs))
      : undefined,
    piece: ({ choice }, { text, logprobs = [] }) => entry(choice, text, logprobs),
    closing: () => ({ text: '', logprobs: null }),
    complete: ({ choice, text, logprobs = [], promptLogprobs }) =>
      entry(choice, echoOf(choice) + text, [...withFirstToken(choice, promptLogprobs), ...logprobs]),
  };
}

async function encodeOne(
  prompt: OnePrompt,
  suffix: string,
  maxTokens: number,
  model: LocalModel,
): Promise<EncodedPrompt> {
  if (typeof prompt !== 'string') return { promptIds: prompt };
  if (suffix !== '') return await encodeHole({ prefix: prompt, suffix }, model, maxTokens);
  return { promptIds: await encodeFitting({ method: 'encodePrompt', input: prompt }, model) };
}

/** Returns the log-probabilities of all prompt tokens, the first without a value; empty if not requested. */
function withFirstToken(
  { promptIds: [first = 0] }: Choice,
  promptLogprobs: readonly TokenLogprobs[] | undefined,
) {
  return promptLogprobs ? [{ token: first, logprob: null }, ...promptLogprobs] : [];
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
