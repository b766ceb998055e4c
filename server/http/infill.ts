// Fills in between two texts: POST /infill for llama.vscode, llama.vim and other clients of llama.cpp's server, and
// POST /v1/fim/completions for clients of Mistral's API. Ignores unknown fields, as llama.cpp does.
import * as z from 'zod/mini';
import { mayEnterPrompts } from '../completion/prompt/eligibility';
import { fimEndTokenIds } from '../completion/prompt/fimForm';
import { severalSeeds, type SamplingOptions } from '../engine/request/sampling';
import type { LocalModel } from '../hosting/model';
import type { Generation, Outcome } from './generation';
import { LLAMA_FIELDS, llamaAnswers } from './llamaCompletion';
import { openAiAnswers, usage } from './openAiAnswers';
import type { Endpoint } from './generationRequest';
import { LineLimits } from './lineLimits';
import { encodeHole, holeRequest, tokenizerOf } from './promptEncoding';
import { COUNT, longListOf, objectOf, TEXT } from './fieldSchemas';
import { OPTION_FIELDS, wireRequest } from './wireRequest';

/** Sampling options for alternatives to the most probable text, as in the editor. */
const ALTERNATIVES = { temperature: 0.8, topP: 0.95 };
/** Largest time limit that a request can set: one day. */
const MAX_MS = 86_400_000;
/** Maximum number of files to use: the last ones, as they help most. Checking thousands would delay other requests. */
const MAX_FILES = 256;

const INFILL_BODY = z.object({
  ...LLAMA_FIELDS,
  input_prefix: z._default(TEXT, ''),
  input_suffix: z._default(TEXT, ''),
  input_extra: z._default(
    longListOf(
      objectOf({ filename: z._default(TEXT, ''), text: TEXT }, 'an object with a filename and a text'),
      'a list of {"filename": ..., "text": ...}',
    ),
    [],
  ),
  // The beginning of the text to fill in, such as the line before the cursor.
  prompt: z._default(TEXT, ''),
  // Our own field: the file name shows the model which language it is.
  filename: z.optional(TEXT),
  n_indent: z._default(COUNT(0, 10_000), 0),
  t_max_predict_ms: z._default(COUNT(0, MAX_MS), 0),
});

type InfillBody = z.infer<typeof INFILL_BODY>;

async function infill(body: InfillBody, model: LocalModel): Promise<Generation> {
  const { promptOnly, request: plain } = wireRequest(body, model, {
    endTokenIds: fimEndTokenIds(tokenizerOf(model)),
  });
  const { input_prefix: prefix, input_suffix: suffix, prompt: begun, filename: fileName } = body;
  // As in editors, secret files get no suggestions and are not quoted.
  const isSecret = !mayEnterPrompts(fileName ?? '', prefix + begun + suffix);
  const otherFiles = body.input_extra
    .slice(-MAX_FILES)
    .map(({ filename, text }) => ({ fileName: filename, text }))
    .filter((file) => mayEnterPrompts(file.fileName, file.text));
  const { isCut, ...prompt } = await encodeHole(
    isSecret ? { prefix: '', suffix: '' } : { prefix, suffix, begun, fileName, otherFiles },
    model,
    plain.maxTokens,
  );
  const request = holeRequest(plain);
  return {
    choices: alternatives(request.sampling, body.n_cmpl ?? body.n ?? 1).map((sampling, index) => ({
      index,
      ...prompt,
      promptOnly: promptOnly || isSecret,
      filter: new LineLimits(body.n_indent, body.t_max_predict_ms),
      request: { ...request, sampling },
    })),
    ...llamaAnswers(body, model, isCut),
  };
}

/** Fields of Mistral's fill-in API, for clients of Codestral such as Continue. */
const FIM_BODY = z.object({
  ...OPTION_FIELDS,
  prompt: TEXT,
  suffix: z._default(TEXT, ''),
  random_seed: OPTION_FIELDS.seed,
});

type FimBody = z.infer<typeof FIM_BODY>;

async function fimCompletions(body: FimBody, model: LocalModel): Promise<Generation> {
  const { prompt, suffix, random_seed: seed = body.seed, ...options } = body;
  const hole = INFILL_BODY.parse({ input_prefix: prompt, input_suffix: suffix });
  const { choices } = await infill({ ...hole, ...options, seed }, model);
  const message = (content: string) => ({ role: 'assistant', content });
  const answers = openAiAnswers(
    { stream: body.stream },
    {
      id: 'fim',
      object: 'chat.completion',
      eventObject: 'chat.completion.chunk',
      piece: (_, { text }) => ({ delta: message(text) }),
      closing: () => ({ delta: message('') }),
      complete: ({ text }) => ({ message: message(text) }),
    },
    model,
  );
  const closing = (outcome: Outcome) => ({ ...answers.closing(outcome), usage: usage([outcome]) });
  return { ...answers, choices, closing };
}

/**
 * Returns the sampling options of `n` texts. Without a temperature, the first text is the most probable one, and equal
 * requests return equal texts.
 */
function alternatives(sampling: SamplingOptions, n: number): SamplingOptions[] {
  if (sampling.temperature !== undefined || n === 1) return severalSeeds(sampling, n);
  const [, ...alternativeSamplings] = severalSeeds({ seed: 0, ...ALTERNATIVES, ...sampling }, n);
  return [sampling, ...alternativeSamplings];
}

/** Answers POST /infill. */
export const INFILL: Endpoint<InfillBody> = {
  schema: INFILL_BODY,
  generation: infill,
  isForEditors: true,
};

/** Answers POST /v1/fim/completions. */
export const FIM_COMPLETIONS: Endpoint<FimBody> = {
  schema: FIM_BODY,
  generation: fimCompletions,
  isForEditors: true,
};
