// POST /infill: fills in between two texts, for llama.vscode, llama.vim and others that speak to llama.cpp's server.
// Its fields, as far as they mean something here; the others are ignored, as llama.cpp ignores what it does not know.
import * as z from 'zod/mini';
import { mayEnterPrompts } from '../completion/prompt/eligibility';
import { fimEndTokenIds } from '../completion/prompt/fimForm';
import { withLf } from '../completion/text/lineEnds';
import { severalSeeds, type SamplingOptions } from '../engine/request/sampling';
import type { LoadedModel } from '../hosting/loadedModel';
import type { Generation } from './generation';
import { LLAMA_FIELDS, llamaAnswers } from './llamaAnswers';
import { tokenizerOf } from './modelFields';
import { encodeHole } from './promptCheck';
import { COUNT, listOf, TEXT } from './requestBody';
import { wireOptions } from './wireOptions';

/** How the others of several texts are drawn, where the first is the most probable one: as in the editor. */
const DRAWN = { temperature: 0.8, topP: 0.95 };
const NO_LIMIT = 100_000;
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

export async function infill(
  asked: z.infer<typeof INFILL_BODY>,
  model: LoadedModel,
  wantsStats: boolean,
): Promise<Generation> {
  const { n_indent: minIndent, t_max_predict_ms: maxMs } = asked;
  const { promptOnly, maxTokens = NO_LIMIT, ...options } = wireOptions(asked);
  const tokenizer = tokenizerOf(model);
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
    maxTokens,
  );
  const n = asked.n_cmpl ?? asked.n ?? 1;
  const request = {
    repetitionGuard: true,
    ...options,
    stopStrings: options.stopStrings?.map(withLf),
    maxTokens,
    stopTokenIds: [...fimEndTokenIds(tokenizer), ...(options.stopTokenIds ?? [])],
    fresh: !asked.cache_prompt,
    isComplete: tooLittleIndented(minIndent),
  };
  return {
    choices: alternatives(options.sampling, n).map((sampling, index) => ({
      index,
      ...prompt,
      promptOnly: promptOnly || isSecret,
      filter: new LineLimits({ minIndent, maxMs }),
      sharing: String(minIndent),
      request: { ...request, sampling },
    })),
    ...llamaAnswers({ asked, options, maxTokens, isCut, model, wantsStats }),
  };
}

/** Where nothing was said about chance, the first text is the most probable one, and the same request gives the same. */
function alternatives(sampling: SamplingOptions, n: number): SamplingOptions[] {
  if (n === 1 || sampling.temperature !== undefined) return n === 1 ? [sampling] : severalSeeds(sampling, n);
  const [, ...others] = severalSeeds({ seed: 0, ...DRAWN, ...sampling }, n);
  return [sampling, ...others];
}

interface LineLimitOptions {
  /** White space that every line after the first begins with; a line with less, unless it is empty, ends the text. */
  readonly minIndent: number;
  /** Milliseconds from the first token on, once there is a line end; 0 for any. */
  readonly maxMs: number;
}

/** Whether a text has a line that ends it; undefined if no line can. Drafts behind such a line are in vain. */
export function tooLittleIndented(minIndent: number): ((text: string) => boolean) | undefined {
  if (minIndent === 0) return undefined;
  const line = new RegExp(`\\n[^\\S\\n]{0,${String(minIndent - 1)}}\\S`);
  return (text) => line.test(text);
}

/** How far a line must be indented, and how long an output that has reached a line end may take, piece by piece. */
export class LineLimits {
  /** Whether the text is at its end. */
  ended = false;
  #startedAt: number | undefined;
  #hasLineEnd = false;
  /** Blank lines and indentation that wait for what follows them. */
  #held = '';

  constructor(
    private readonly options: LineLimitOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The text that belongs to the output, as far as that is certain. */
  push(piece: string): string {
    if (this.ended) return '';
    this.#startedAt ??= this.now();
    let text = '';
    const parts = (this.#held + piece).split(/(\n\s*)/);
    this.#held = '';
    for (const part of parts) {
      if (part.startsWith('\n')) {
        this.#hasLineEnd = true;
        this.#held = part;
      } else if (part !== '') {
        const indent = this.#held.length - this.#held.lastIndexOf('\n') - 1;
        this.ended = this.#held !== '' && indent < this.options.minIndent;
        if (this.ended) return text;
        text += this.#held + part;
        this.#held = '';
      }
    }
    const { maxMs } = this.options;
    this.ended = maxMs > 0 && this.#hasLineEnd && this.now() - this.#startedAt > maxMs;
    return text;
  }

  /** What was held back, if the output ended for another reason. */
  flush(): string {
    return this.ended ? '' : this.#held;
  }
}
