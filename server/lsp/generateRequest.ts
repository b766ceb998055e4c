// The request flashline/generate: takes an instruction and a place in a document, streams text back. Its parameters are
// checked here.
import { ProgressType, type Connection } from 'vscode-languageserver/node';
import * as z from 'zod/mini';
import type { CompletionSession } from '../completion/completionSession';
import { generateCode } from '../completion/generateCode';
import { requestOptions } from '../engine/requestOptions';
import type { Alternative } from '../engine/sampling/sampler';
import type {
  GenerateDelta,
  GenerateParams,
  GenerateResult,
  SamplingOverrides,
  SamplingSettings,
  ServerSettings,
  TokenLogprob,
} from '../protocol';
import type { History } from './history';
import type { UsableModel } from './loadedModel';
import type { ModelLease } from './modelLease';
import { RecordingDecoder, type DecodeMode } from './recordingDecoder';
import { fieldsOf, isRecord, refused, STREAM } from './requestSignal';

interface Parts {
  readonly connection: Connection;
  readonly session: CompletionSession<UsableModel>;
  readonly host: ModelLease;
  readonly history: History;
}

/** Encoding a longer one would block the thread that handles messages for seconds. */
const MAX_INSTRUCTION = 20_000;
const OFFSET = z.int().check(z.nonnegative());
const PARAMS = z.object({
  uri: z.string(),
  instruction: z.string(),
  start: OFFSET,
  end: OFFSET,
  maxTokens: z.optional(z.int().check(z.positive())),
  sampling: z.optional(z.unknown()),
  partialResultToken: STREAM,
});

const deltas = new ProgressType<GenerateDelta>();

/** Resolves with what was generated, even when cancelled. Rejects only for a request that cannot run. */
export async function generateRequest(
  { connection, session, host, history }: Parts,
  params: unknown,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<GenerateResult> {
  const { uri, instruction, start, end, maxTokens, sampling, partialResultToken } =
    parseGenerateParams(params);
  const document = session.document(uri);
  if (document === undefined)
    throw refused(`Expected an open document, got ${uri || 'nothing'}; open it first`);
  const { text: source, fileName, ineligible } = document;
  if (end > source.length)
    throw refused(
      `Expected offsets up to ${String(source.length)}, got ${String(end)}; send offsets into the current text`,
    );
  if (ineligible !== undefined)
    throw refused(`Expected a file that may be used in prompts, got a ${ineligible} file; choose another`);
  const limit = maxTokens ?? settings.maxGenerateTokens;
  const request = { document, start, end, instruction, maxTokens: limit, signal };
  return await host.use(async (model) => {
    if (model === undefined)
      throw refused('Expected a loaded model, got none; see the status for the reason');
    const mode = modeOf(settings, { ...settings.generate, ...sampling });
    const decoder = new RecordingDecoder(model, mode, history);
    let text = '';
    for await (const piece of generateCode(request, decoder)) {
      text += piece;
      if (partialResultToken !== undefined)
        await connection.sendProgress(deltas, partialResultToken, { text: piece });
    }
    decoder.record(fileName);
    return resultOf(text, decoder, signal);
  });
}

function resultOf(text: string, decoder: RecordingDecoder, signal: AbortSignal): GenerateResult {
  const { stats, logprobs } = decoder.decodes.at(-1) ?? {};
  return {
    text,
    finishReason: signal.aborted ? 'cancelled' : (stats?.finishReason ?? 'stop'),
    seed: stats?.seed,
    logprobs: logprobs?.map(({ top, ...token }) => {
      return { ...named(token, decoder), top: top.map((each) => named(each, decoder)) };
    }),
  };
}

/** With a seed the text must be repeatable, even where it depends on where rounds end. */
function modeOf(
  { draftLength }: ServerSettings,
  { seed, repetitionGuard, ...options }: SamplingSettings & SamplingOverrides,
): DecodeMode {
  const sampling = { ...options, seed: seed ?? undefined };
  const mode = { kind: 'generate', draftLength, sampling, repetitionGuard } as const;
  if (seed === null || options.acceptance === 'match' || options.temperature === 0) return mode;
  return { ...mode, draftLength: draftLength === 'adaptive' ? 'full' : draftLength, fresh: true };
}

function named({ token, logprob }: Alternative, decoder: RecordingDecoder): TokenLogprob {
  return { text: decoder.tokenizer.decode([token]), logprob };
}

/** Throws a ResponseError for parameters that the client must correct. */
function parseGenerateParams(value: unknown): GenerateParams {
  const { data: params } = PARAMS.safeParse(value);
  if (params === undefined || params.end < params.start)
    throw refused('Expected uri, instruction, start and end, got something else; send GenerateParams');
  const { length } = params.instruction;
  if (length > MAX_INSTRUCTION)
    throw refused(
      `Expected an instruction of at most ${String(MAX_INSTRUCTION)} characters, got ${String(length)}; shorten it`,
    );
  return { ...params, sampling: samplingOverrides(params.sampling) };
}

/** As in a line of a batch and in an HTTP body; here a seed of null picks one. */
function samplingOverrides(value: unknown): SamplingOverrides {
  if (value !== undefined && value !== null && !isRecord(value))
    throw refused('Expected sampling to be an object, got something else; leave it out');
  const { seed, ...fields } = fieldsOf(value);
  const given = { ...fields, ...(seed !== null && { seed }) };
  const { sampling, repetitionGuard } = requestOptions(given, wrongField, 'sensible');
  return {
    ...sampling,
    ...(repetitionGuard !== undefined && { repetitionGuard }),
    ...(seed === null && { seed }),
  } as SamplingOverrides;
}

function wrongField(field: string, expected: string, value: unknown): Error {
  const got = typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
  const or = field === 'seed' ? ', or null' : '';
  return refused(`Expected sampling.${field} to be ${expected}${or}, got ${got}; correct it`);
}
