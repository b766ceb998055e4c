// POST /infill: fills in between two texts, for llama.vscode, llama.vim and others that speak to llama.cpp's server.
// Its fields, as far as they mean something here; the others are ignored, as llama.cpp ignores what it does not know.
import * as z from 'zod/mini';
import { mayEnterPrompts } from '../completion/prompt/eligibility';
import { fimEndTokenIds } from '../completion/prompt/fimForm';
import { withLf } from '../completion/text/lineEnds';
import type { LoadedModel } from '../hosting/loadedModel';
import { alternatives, requireCount } from './choices';
import type { Generation } from './generation';
import { LineLimits, tooLittleIndented } from './lineLimits';
import { LLAMA_FIELDS, llamaAnswers } from './llamaAnswers';
import { tokenizerOf } from './modelFields';
import { encodeHole } from './promptCheck';
import { COUNT, parsed, TEXT, type Fields } from './requestBody';
import { wireOptions } from './wireOptions';

const NO_LIMIT = 100_000;
const MAX_MS = 86_400_000;
/** The last files are the most helpful; to look at thousands would keep everybody waiting. */
const MOST_FILES = 256;

const BODY = z.object({
  ...LLAMA_FIELDS,
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
  n_indent: z._default(COUNT(0, 10_000), 0),
  t_max_predict_ms: z._default(COUNT(0, MAX_MS), 0),
});

export async function infill(body: Fields, model: LoadedModel, wantsStats: boolean): Promise<Generation> {
  const asked = parsed(BODY, body);
  const { n_indent: minIndent, t_max_predict_ms: maxMs } = asked;
  const { promptOnly, maxTokens = NO_LIMIT, ...options } = wireOptions(body);
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
  requireCount(n);
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
