// The run of a request for generated text: with the model of the connection, streamed to the client, recorded, and
// summed up in a result. What is asked of the model is up to the caller.
import { ProgressType, type Connection } from 'vscode-languageserver/node';
import type { Decoder } from '../completion/decoder';
import type { Alternative } from '../engine/sampling/sampler';
import type {
  GenerateDelta,
  GenerateResult,
  SamplingOverrides,
  SamplingSettings,
  ServerSettings,
  TokenLogprob,
} from '../protocol/messages';
import type { History } from '../hosting/history';
import type { ModelLease } from '../hosting/modelLease';
import { RecordingDecoder, type DecodeMode } from '../hosting/recordingDecoder';
import { refused } from './requestSignal';

export interface GenerationParts {
  readonly connection: Connection;
  readonly host: Pick<ModelLease, 'use'>;
  readonly history: History;
}

interface Asked {
  /** What the text is for, in statistics. */
  readonly file: string;
  readonly settings: ServerSettings;
  /** Overrides the settings. */
  readonly sampling?: SamplingOverrides | undefined;
  readonly signal: AbortSignal;
  /** Where pieces go. */
  readonly stream: string | number | undefined;
}

const deltas = new ProgressType<GenerateDelta>();

/** Resolves with what was generated, even when cancelled. Rejects where there is no model. */
export async function streamGenerated(
  { connection, host, history }: GenerationParts,
  { file, settings, sampling, signal, stream }: Asked,
  generate: (decoder: Decoder) => AsyncIterable<string>,
): Promise<GenerateResult> {
  return await host.use(async (model) => {
    if (model === undefined)
      throw refused('Expected a loaded model, got none; see the status for the reason');
    const mode = modeOf(settings, { ...settings.generate, ...sampling });
    const decoder = new RecordingDecoder(model, mode, history);
    let text = '';
    for await (const piece of generate(decoder)) {
      text += piece;
      if (stream !== undefined) await connection.sendProgress(deltas, stream, { text: piece });
    }
    decoder.record(file);
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
  return { text: decoder.tokenText(token), logprob };
}
