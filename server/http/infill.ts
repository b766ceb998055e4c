// POST /infill: fills in between two texts, for llama.vscode, llama.vim and others that speak to llama.cpp's server.
// Its fields, as far as they mean something here; the others are ignored, as llama.cpp ignores what it does not know.
import * as z from 'zod/mini';
import { mayEnterPrompts } from '../completion/eligibility';
import { fimEndTokenIds } from '../completion/fimPrompt';
import { withLf } from '../completion/lineEnds';
import type { LoadedModel } from '../lsp/loadedModel';
import { fillIn } from './fillIn';
import type { Generation, Outcome, Piece } from './generation';
import { LineLimits, tooLittleIndented } from './lineLimits';
import { infillProbabilities } from './logprobFields';
import { tokenizerOf } from './modelFields';
import { COUNT, FLAG, parsed, TEXT, type Fields } from './requestBody';
import { emittedTokens, ownStats, timings, usage } from './usage';
import { wireOptions } from './wireOptions';

const NO_LIMIT = 100_000;
const MAX_MS = 86_400_000;

const BODY = z.object({
  input_prefix: z._default(TEXT, ''),
  input_suffix: z._default(TEXT, ''),
  input_extra: z._default(
    z.array(
      z.object(
        { filename: z._default(TEXT, ''), text: TEXT },
        { error: 'an object with a filename and a text' },
      ),
      { error: 'a list of {"filename": ..., "text": ...}' },
    ),
    [],
  ),
  prompt: z._default(TEXT, ''),
  // Ours: the name of the file, which helps a model to know the language.
  filename: z.optional(TEXT),
  stream: z._default(FLAG, false),
  cache_prompt: z._default(FLAG, true),
  n_indent: z._default(COUNT(0, 10_000), 0),
  t_max_predict_ms: z._default(COUNT(0, MAX_MS), 0),
  return_tokens: z._default(FLAG, false),
  response_fields: z.optional(z.array(TEXT, { error: 'a list of names of fields' })),
});

export function infill(body: Fields, model: LoadedModel, wantsStats: boolean): Generation {
  const asked = parsed(BODY, body);
  const { promptOnly, maxTokens = NO_LIMIT, ...options } = wireOptions(body);
  const tokenizer = tokenizerOf(model);
  const { input_prefix: prefix, input_suffix: suffix, prompt: begun, filename: fileName } = asked;
  // In a secret file there is nothing to suggest, as in the editors, and nothing quotes one.
  const isSecret = !mayEnterPrompts(fileName ?? '', prefix + begun + suffix);
  const others = asked.input_extra
    .map(({ filename, text }) => ({ fileName: filename, text }))
    .filter((other) => mayEnterPrompts(other.fileName, other.text));
  const { ids, isCut, lineEnd } = fillIn(
    isSecret ? { prefix: '', suffix: '' } : { prefix, suffix, begun, fileName, others },
    model,
    maxTokens,
  );
  const lines = new LineLimits({ minIndent: asked.n_indent, maxMs: asked.t_max_predict_ms });
  const context = model.engine.config.maxPositionEmbeddings;
  const settings = {
    ...options.sampling,
    n_ctx: context,
    n_predict: maxTokens,
    model: model.info.target,
    stop: options.stopStrings ?? [],
    stream: asked.stream,
    n_indent: asked.n_indent,
    t_max_predict_ms: asked.t_max_predict_ms,
  };
  const piece = ({ text, tokens, logprobs }: Piece) => ({
    index: 0,
    content: text,
    tokens,
    stop: false,
    ...(logprobs && { completion_probabilities: infillProbabilities(logprobs, tokenizer) }),
  });
  const whole = (outcome: Outcome, content: string): object => {
    const { stats, tokenIds, logprobs } = outcome.result;
    const predicted = emittedTokens(outcome);
    const answer = {
      index: 0,
      content,
      tokens: asked.return_tokens && !asked.stream && !promptOnly ? tokenIds : [],
      id_slot: 0,
      stop: true,
      model: model.info.target,
      tokens_predicted: predicted,
      tokens_evaluated: stats.promptTokens,
      generation_settings: settings,
      has_new_line: outcome.text.includes('\n'),
      truncated: isCut || stats.promptTokens + predicted >= context,
      ...ending(outcome, options.stopStrings ?? [], tokenizer.decode(tokenIds)),
      tokens_cached: stats.reusedTokens,
      timings: timings(stats, predicted),
      usage: usage([outcome]),
      ...(logprobs &&
        !asked.stream && { completion_probabilities: infillProbabilities(logprobs, tokenizer) }),
      ...ownStats([outcome], wantsStats),
    };
    return asked.response_fields ? picked(answer, asked.response_fields) : answer;
  };
  return {
    choices: [
      {
        index: 0,
        promptIds: ids,
        promptOnly: promptOnly || isSecret,
        filter: lines,
        lineEnd,
        request: {
          ...options,
          stopStrings: options.stopStrings?.map(withLf),
          maxTokens,
          stopTokenIds: [...fimEndTokenIds(tokenizer), ...(options.stopTokenIds ?? [])],
          fresh: !asked.cache_prompt,
          isComplete: tooLittleIndented(asked.n_indent),
        },
      },
    ],
    stream: asked.stream,
    done: false,
    piece: (_, each) => piece(each),
    closing: (outcome) => whole(outcome, ''),
    whole: ([outcome]) => (outcome ? whole(outcome, outcome.text) : {}),
  };
}

/** Why the text ended, in llama.cpp's words. `decoded` is the text of all tokens, a stop string among them. */
function ending({ text, finish }: Outcome, stops: readonly string[], decoded: string) {
  if (finish === 'length') return { stop_type: 'limit', stopping_word: '' };
  const word = stops.find((stop) => decoded.startsWith(withLf(text + stop)));
  return { stop_type: word === undefined ? 'eos' : 'word', stopping_word: word ?? '' };
}

/** Of an answer only the fields asked for; "timings/prompt_n" is a field of that name. Unknown ones are left out. */
function picked(answer: Readonly<Record<string, unknown>>, fields: readonly string[]): object {
  const found = fields.map((field): [string, unknown] => {
    const value = field
      .split('/')
      .reduce<unknown>(
        (inner, key) =>
          typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
            ? (inner as Record<string, unknown>)[key]
            : undefined,
        answer,
      );
    return [field, value];
  });
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
