// flashline/generate: an instruction and a place in a document in, streamed text out.
import { ProgressType, type Connection } from 'vscode-languageserver/node';
import type { TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { ineligibility } from '../completion/eligibility';
import { generate as generateText } from '../completion/generate';
import type { Alternative } from '../engine/sampling/sampler';
import type {
  GenerateDelta,
  GenerateResult,
  SamplingOverrides,
  SamplingSettings,
  ServerSettings,
  TokenLogprob,
} from '../protocol';
import { parseGenerateParams, refused } from './generateParams';
import type { History } from './history';
import { snapshot } from './inlineCompletion';
import type { ModelLease } from './modelLease';
import { RecordingDecoder, type DecodeManner } from './recordingDecoder';

interface Parts {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly host: ModelLease;
  readonly history: History;
}

const deltas = new ProgressType<GenerateDelta>();

/** Resolves with what was generated, also when it was cancelled. Rejects only for a request that cannot run. */
export async function generate(
  { connection, documents, host, history }: Parts,
  params: unknown,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<GenerateResult> {
  const { uri, instruction, start, end, sampling, partialResultToken } = parseGenerateParams(params);
  const document = documents.get(uri);
  if (document === undefined) throw refused(`Expected an open document, got ${uri}; open it first`);
  const source = snapshot(document);
  if (end > source.text.length)
    throw refused(
      `Expected offsets up to ${String(source.text.length)}, got ${String(end)}; send them after the change`,
    );
  const reason = ineligibility(source);
  if (reason !== undefined)
    throw refused(`Expected a file that may enter a prompt, got a ${reason} file; choose another`);
  const request = {
    document: source,
    start,
    end,
    instruction,
    maxTokens: settings.maxGenerateTokens,
    signal,
  };
  return await host.use(async (model) => {
    if (model === undefined)
      throw refused('Expected a loaded model, got none; see the status for the reason');
    const decoder = new RecordingDecoder(model, mannerOf(settings, { ...settings.generate, ...sampling }));
    let text = '';
    for await (const piece of generateText(request, decoder)) {
      text += piece;
      if (partialResultToken !== undefined)
        await connection.sendProgress(deltas, partialResultToken, { text: piece });
    }
    return resultOf(text, decoder, { history, file: source.fileName, signal });
  });
}

interface Ended {
  readonly history: History;
  readonly file: string;
  readonly signal: AbortSignal;
}

/** Records its decodes too. */
function resultOf(text: string, decoder: RecordingDecoder, { history, file, signal }: Ended): GenerateResult {
  for (const decode of decoder.decodes) {
    const label = { kind: 'generate', file, outcome: decode.stats.finishReason } as const;
    history.record(label, decode, (token) => decoder.decodeText([token]));
  }
  const { stats, logprobs } = decoder.decodes.at(-1) ?? {};
  return {
    text,
    finishReason: signal.aborted ? 'cancelled' : (stats?.finishReason ?? 'stop'),
    ...(stats?.seed !== undefined && { seed: stats.seed }),
    ...(logprobs && {
      logprobs: logprobs.map(({ top, ...token }) => {
        return { ...named(token, decoder), top: top.map((each) => named(each, decoder)) };
      }),
    }),
  };
}

/** With a seed the text is to be the same again, also where it depends on how the rounds fall. */
function mannerOf(
  { draftLength }: ServerSettings,
  { seed, repetitionGuard, ...options }: SamplingSettings & SamplingOverrides,
): DecodeManner {
  const sampling = { ...options, seed: seed ?? undefined };
  const manner = { kind: 'generate', draftLength, sampling, repetitionGuard } as const;
  if (seed === null || options.acceptance === 'match' || options.temperature === 0) return manner;
  return { ...manner, draftLength: draftLength === 'adaptive' ? 'full' : draftLength, fresh: true };
}

function named({ token, logprob }: Alternative, decoder: RecordingDecoder): TokenLogprob {
  return { text: decoder.decodeText([token]), logprob };
}
