// A fake engine with scripted answers that records its requests. Its tokens are the letters of the text, so prompts can
// be read.
import { setTimeout as pause } from 'node:timers/promises';
import { FIM_TOKENS } from '../support/fimTokens';
import type { Decode, DecodeRequest, DecodeChunk, DecodeResult } from '../../server/engine/decode/decode';
import type { FinishReason, RequestStats, Round } from '../../server/engine/request/stats';
import type { LoadModel } from '../../server/hosting/modelPool';
import type { ServedEngine } from '../../server/hosting/model';
import type { Tokenizer } from '../../server/models/text/tokenizer';
import { sampleRow } from '../src/support/sampleRow';
import { WordlessTokenizer } from '../completion/wordlessTokenizer';

/** Pieces of text, one per step; an Error is thrown in its place. */
export type Answer = readonly (string | Error)[];

export interface ScriptedDecode {
  /** Text of the prompt, with special tokens in braces. */
  readonly prompt: string;
  readonly promptIds: readonly number[];
  readonly options: DecodeRequest;
  /** Number of steps that have begun. */
  steps: number;
  /** How it ended; undefined while it runs. */
  ended: FinishReason | 'failed' | undefined;
}

class LetterTokenizer extends WordlessTokenizer implements Tokenizer {
  encodePrompt(text: string): number[] {
    return this.encodeText(text);
  }

  bytes(id: number): Uint8Array {
    return Buffer.from(this.spell([id]));
  }
}

export class ScriptedEngine implements ServedEngine {
  readonly tokenizer = new LetterTokenizer();
  readonly maxDraftTokens = 7;
  readonly device = 'cpu';
  readonly numberType = 'float32';
  readonly greedyLogprobs: boolean = false;
  readonly prefillSpeed = undefined;
  readonly expectedPrefillSpeed = undefined;
  readonly config = {
    modelType: 'scripted',
    hiddenSize: 1,
    numHiddenLayers: 1,
    vocabSize: 0x10000 + FIM_TOKENS.length,
    maxPositionEmbeddings: 4096,
    eosTokenIds: [],
  };
  readonly decodes: ScriptedDecode[] = [];
  disposed = false;

  /** `answers` has one answer for each decode; the last one is repeated. */
  constructor(
    private readonly answers: readonly Answer[] = [['answer']],
    /** Delay before each step. */
    private readonly stepMs = 0,
  ) {}

  /** Number of decodes that have begun and not ended. */
  get running(): number {
    return this.decodes.filter(({ ended }) => ended === undefined).length;
  }

  resizeCache(): void {
    // Does nothing, as there is no cache.
  }

  readonly hasChatTemplate: boolean = false;
  readonly chatProblem: ServedEngine['chatProblem'] = undefined;
  readonly chatTemplateText: string | undefined = undefined;
  readonly renderChat: ServedEngine['renderChat'] = () => undefined;
  readonly encodeChat: ServedEngine['encodeChat'] = () => undefined;
  readonly promptLogprobs: ServedEngine['promptLogprobs'] = () => Promise.resolve([]);

  decode(promptIds: readonly number[], options: DecodeRequest): Decode {
    const prompt = this.tokenizer.spell(promptIds);
    const decode: ScriptedDecode = { prompt, promptIds, options, steps: 0, ended: undefined };
    const answer = this.answers[Math.min(this.decodes.length, this.answers.length - 1)] ?? [];
    this.decodes.push(decode);
    return this.#decodeOf(decode, answer);
  }

  dispose(): Promise<void> {
    this.disposed = true;
    return Promise.resolve();
  }

  #decodeOf(decode: ScriptedDecode, answer: Answer): Decode {
    const chunks: DecodeChunk[] = [];
    const iterator = this.#chunks(decode, answer, chunks);
    return {
      [Symbol.asyncIterator]: () => iterator,
      get result() {
        return resultOf(decode, chunks);
      },
      async finish() {
        while (!(await iterator.next()).done);
        return this.result;
      },
    };
  }

  async *#chunks(
    decode: ScriptedDecode,
    answer: Answer,
    sent: DecodeChunk[],
  ): AsyncGenerator<DecodeChunk, void, undefined> {
    const signal = decode.options.signal;
    try {
      for (const piece of answer) {
        decode.steps += 1;
        await pause(this.stepMs);
        if (piece instanceof Error) {
          decode.ended = 'failed';
          throw piece;
        }
        if (signal?.aborted) {
          decode.ended = signal.reason === 'superseded' ? 'superseded' : 'cancelled';
          return;
        }
        const chunk = chunkOf(this.tokenizer.encodeText(piece), piece, sent.length > 0);
        sent.push(chunk);
        yield chunk;
      }
      decode.ended ??= 'stop';
    } finally {
      decode.ended ??= 'abandoned';
    }
  }
}

/** Words, with a delay each, that take longer than any test, and repeat too late to be cut as a repetition. */
export const LONG: Answer = Array.from(
  { length: 20_000 },
  (_, i) => `${String.fromCharCode(97 + (i % 13), 97 + (i % 11))} `,
);

/** Creates a loader that returns the engines in turn, and then always the last one; an Error is thrown instead. */
export function loading(
  ...engines: readonly (ScriptedEngine | Error)[]
): LoadModel & { readonly loads: string[] } {
  const loads: string[] = [];
  const load: LoadModel = async ({ target }, observer) => {
    const engine = engines[Math.min(loads.length, engines.length - 1)];
    loads.push(target);
    await pause(1);
    observer.onProgress(0.5);
    if (engine instanceof ScriptedEngine)
      return { engine, target: `scripted ${target}`.trim(), drafter: 'tiny', remember: () => undefined };
    throw engine ?? new Error('No engine is scripted. Pass one to loading().');
  };
  return Object.assign(load, { loads });
}

/** Creates a loader of an engine whose loads wait until `start` is called. */
export function loadingLater(engine: ScriptedEngine): {
  readonly load: LoadModel;
  readonly start: () => void;
} {
  const loadNow = loading(engine);
  let start = (): void => undefined;
  const started = new Promise<void>((resolve) => (start = resolve));
  const load: LoadModel = async (...loadArguments) => {
    await started;
    return await loadNow(...loadArguments);
  };
  return { load, start };
}

/** Creates a chunk, in which all tokens of a round except the last were drafted. */
function chunkOf(tokens: readonly number[], text: string, isRound: boolean): DecodeChunk {
  const drafts = tokens.length - 1;
  const times = { draftMs: 1, verifyMs: 2, buildMs: 1 };
  const round: Round = { source: 'dflash', drafted: drafts, accepted: drafts, tokens, ...times };
  return { tokens, text, round: isRound ? round : undefined };
}

function resultOf(
  { promptIds, options, ended }: ScriptedDecode,
  chunks: readonly DecodeChunk[],
): DecodeResult {
  const tokenIds = chunks.flatMap(({ tokens }) => tokens);
  const rounds = chunks.flatMap(({ round }) => round ?? []);
  const drafted = rounds.reduce((sum, round) => sum + round.drafted, 0);
  const finishReason = ended === undefined || ended === 'failed' ? 'abandoned' : ended;
  const stats: RequestStats = {
    ...sampleRow({ rounds: [] }).stats,
    promptTokens: promptIds.length,
    reusedTokens: 0,
    emittedTokens: tokenIds.length,
    rounds: rounds.length,
    roundTokens: rounds.reduce((sum, { tokens }) => sum + tokens.length, 0),
    draftedTokens: drafted,
    acceptedTokens: drafted,
    finishReason,
    seed: seedOf(options),
  };
  const acceptanceLengths = rounds.map(({ tokens }) => tokens.length);
  const { logprobs: count } = options.sampling ?? {};
  const logprobs = tokenIds.map((token, i) => {
    return { token, logprob: -i, top: Array.from({ length: count ?? 0 }, () => ({ token, logprob: -i })) };
  });
  return {
    tokenIds,
    text: chunks.map(({ text }) => text).join(''),
    acceptanceLengths,
    finishReason,
    stats,
    ...(count !== undefined && { logprobs }),
  };
}

/** Returns the seed of a sampled request, or a fixed one if it has none. */
function seedOf({ sampling }: DecodeRequest): number | undefined {
  return (sampling?.temperature ?? 0) > 0 ? (sampling?.seed ?? 12_345) : undefined;
}
