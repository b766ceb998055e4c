// Fills in between two texts: POST /infill for llama.vscode, llama.vim and others that speak to llama.cpp's server, and
// /v1/fim/completions. Their fields, as far as they mean something here; the others are ignored, as llama.cpp ignores
// what it does not know.
import * as z from 'zod/mini';
import { mayEnterPrompts } from '../completion/prompt/eligibility';
import { severalSeeds, type SamplingOptions } from '../engine/request/sampling';
import type { LocalModel } from '../hosting/model';
import type { Generation, Outcome } from './generation';
import { LLAMA_FIELDS, llamaAnswers } from './llamaCompletion';
import { openAiAnswers, usage } from './openAiAnswers';
import { encodeHole, holeRequest, tokenizerOf } from './conversation';
import { COUNT, listOf, TEXT } from './requestBody';
import { OPTION_FIELDS, wireRequest } from './wireRequest';

/** How the others of several texts are drawn, where the first is the most probable one: as in the editor. */
const DRAWN = { temperature: 0.8, topP: 0.95 };
const MAX_MS = 86_400_000;
/** The last files are the most helpful; to look at thousands would keep everybody waiting. */
const MOST_FILES = 256;

export const INFILL_BODY = z.object({
  ...LLAMA_FIELDS,
  input_prefix: z._default(TEXT, ''),
  input_suffix: z._default(TEXT, ''),
  input_extra: z._default(
    listOf(
      z.object(
        { filename: z._default(TEXT, ''), text: TEXT },
        { error: 'an object with a filename and a text' },
      ),
      z.array(z.unknown(), { error: 'a list of {"filename": ..., "text": ...}' }),
    ),
    [],
  ),
  prompt: z._default(TEXT, ''),
  // Ours: the name of the file, which helps a model to know the language.
  filename: z.optional(TEXT),
  n_indent: z._default(COUNT(0, 10_000), 0),
  t_max_predict_ms: z._default(COUNT(0, MAX_MS), 0),
});

export async function infill(asked: z.infer<typeof INFILL_BODY>, model: LocalModel): Promise<Generation> {
  const { promptOnly, request: plain } = wireRequest(asked);
  const { input_prefix: prefix, input_suffix: suffix, prompt: begun, filename: fileName } = asked;
  // In a secret file there is nothing to suggest, as in the editors, and nothing quotes one.
  const isSecret = !mayEnterPrompts(fileName ?? '', prefix + begun + suffix);
  const others = asked.input_extra
    .slice(-MOST_FILES)
    .map(({ filename, text }) => ({ fileName: filename, text }))
    .filter((other) => mayEnterPrompts(other.fileName, other.text));
  const { isCut, ...prompt } = await encodeHole(
    isSecret ? { prefix: '', suffix: '' } : { prefix, suffix, begun, fileName, others },
    model,
    plain.maxTokens,
  );
  const request = holeRequest(plain, tokenizerOf(model));
  return {
    choices: alternatives(request.sampling, asked.n_cmpl ?? asked.n ?? 1).map((sampling, index) => ({
      index,
      ...prompt,
      promptOnly: promptOnly || isSecret,
      filter: new LineLimits(asked.n_indent, asked.t_max_predict_ms),
      request: { ...request, sampling },
    })),
    ...llamaAnswers(asked, model, isCut),
  };
}

/** Fills in between two texts as Mistral's API does, for clients of Codestral such as Continue. */
export const FIM_BODY = z.object({
  ...OPTION_FIELDS,
  prompt: TEXT,
  suffix: z._default(TEXT, ''),
  random_seed: OPTION_FIELDS.seed,
});

export async function fimCompletions(
  asked: z.infer<typeof FIM_BODY>,
  model: LocalModel,
): Promise<Generation> {
  const { prompt, suffix, random_seed: seed = asked.seed, ...options } = asked;
  const hole = INFILL_BODY.parse({ input_prefix: prompt, input_suffix: suffix });
  const { choices } = await infill({ ...hole, ...options, seed }, model);
  const said = (content: string) => ({ role: 'assistant', content });
  const answers = openAiAnswers(
    { stream: asked.stream },
    {
      id: 'fim',
      object: 'chat.completion',
      eventObject: 'chat.completion.chunk',
      piece: (_, { text }) => ({ delta: said(text) }),
      closing: () => ({ delta: said('') }),
      whole: ({ text }) => ({ message: said(text) }),
    },
    model,
  );
  const closing = (outcome: Outcome) => ({ ...answers.closing(outcome), usage: usage([outcome]) });
  return { ...answers, choices, closing };
}

/** Where nothing was said about chance, the first text is the most probable one, and the same request gives the same. */
function alternatives(sampling: SamplingOptions, n: number): SamplingOptions[] {
  if (sampling.temperature !== undefined || n === 1) return severalSeeds(sampling, n);
  const [, ...others] = severalSeeds({ seed: 0, ...DRAWN, ...sampling }, n);
  return [sampling, ...others];
}

/** How far a line must be indented, and how long an output that has reached a line end may take, piece by piece. */
class LineLimits {
  /** Whether the text is at its end. */
  ended = false;
  /** The line that ends the text; undefined if no line can. */
  readonly #last: RegExp | undefined;
  #startedAt: number | undefined;
  #hasLineEnd = false;
  /** Blank lines and indentation that wait for what follows them. */
  #held = '';

  /**
   * `minIndent` is the white space that every line after the first begins with; a line with less, unless it is empty, ends
   * the text. `maxMs` counts from the first token on, once there is a line end; 0 for any.
   */
  constructor(
    minIndent: number,
    private readonly maxMs: number,
  ) {
    if (minIndent > 0) this.#last = new RegExp(`\\n[^\\S\\n]{0,${String(minIndent - 1)}}\\S`);
  }

  /** The text that belongs to the output, as far as that is certain. */
  push(piece: string): string {
    this.#startedAt ??= performance.now();
    const text = this.#held + piece;
    const last = this.#last?.exec(text);
    const own = text.slice(0, last?.index);
    const blank = own.indexOf('\n', own.trimEnd().length);
    const certain = blank < 0 ? own : own.slice(0, blank);
    this.#held = text.slice(certain.length);
    this.#hasLineEnd ||= text.includes('\n');
    const isLate = this.maxMs > 0 && this.#hasLineEnd && performance.now() - this.#startedAt > this.maxMs;
    this.ended = isLate || Boolean(last);
    return certain;
  }

  /** What was held back, if the output ended for another reason. */
  flush(): string {
    return this.ended ? '' : this.#held;
  }
}
