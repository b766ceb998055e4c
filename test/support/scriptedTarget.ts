// A target whose output is written down beforehand, with logits too far apart for rounding to matter. It reads
// its context back from its caches, so a row kept, dropped or fed twice by mistake leads it astray.
import { KVCache } from '../../server/models/decoder/kvCache';
import { cacheOf, type LayerCache } from '../../server/models/decoder/layerCache';
import * as mx from '../../server/models/mlx/ops';
import type { Forward, TargetConfig, TargetModel } from '../../server/models/decoder/target';
import { testDevice } from './testDevice';
import { seededIntegers } from './seededRandom';

/** The end token. Scripts have it only where a test requests it. */
export const END = 0;

const VOCABULARY = 64;
const LAYERS = 2;

export interface Script {
  readonly promptIds: readonly number[];
  readonly output: readonly number[];
  /** Tokens of the prompt and the output. */
  readonly tokens: readonly number[];
}

export interface ScriptOptions {
  readonly seed?: number;
  /** Position of an end token in the output; the script continues after it. */
  readonly endAt?: number | undefined;
}

export function newScript(promptTokens: number, outputTokens: number, options: ScriptOptions = {}): Script {
  const { seed = 1, endAt } = options;
  const tokens = seededIntegers(seed, promptTokens + outputTokens, 1, VOCABULARY - 1);
  if (endAt !== undefined) tokens[promptTokens + endAt] = END;
  return { promptIds: tokens.slice(0, promptTokens), output: tokens.slice(promptTokens), tokens };
}

/** Returns the token that is written instead of `token` once the context has left the script. Never the end token. */
export function wrongToken(token = 0): number {
  return 1 + (token % (VOCABULARY - 1));
}

export class ScriptedTarget implements TargetModel {
  readonly config: TargetConfig = {
    modelType: 'scripted',
    hiddenSize: 1,
    numHiddenLayers: LAYERS,
    vocabSize: VOCABULARY,
    maxPositionEmbeddings: 4096,
    eosTokenIds: [END],
  };

  constructor(private readonly script: Script) {}

  newCaches(expectedRows: number): KVCache[] {
    const shape = { heads: 1, headDim: 1, dtype: testDevice.dtype };
    return Array.from({ length: LAYERS }, () => new KVCache(shape, expectedRows));
  }

  /** Keys and values are the tokens themselves; so is each tap. Hidden states are the next tokens. */
  forward(tokens: mx.MxArray, caches: readonly LayerCache[], taps: readonly number[]): Forward {
    const rows = tokens.size;
    const ids = mx.reshape(mx.astype(tokens, testDevice.dtype), 1, 1, rows, 1);
    const contexts = caches.map((cache) =>
      mx.numbers(mx.reshape(cacheOf(KVCache, cache).append(ids, ids).keys, -1)),
    );
    const scripted = Math.min(...contexts.map((context) => this.#scriptedLength(context)));
    const first = Math.max(...contexts.map(({ length }) => length)) - rows + 1;
    const next = Array.from({ length: rows }, (_, i) => this.#next(first + i, scripted));
    const tap = mx.reshape(ids, 1, rows, 1);
    return {
      hidden: mx.reshape(mx.array(next, testDevice.dtype), 1, rows, 1),
      taps: taps.length > 0 ? mx.concatenate(Array<mx.MxArray>(taps.length).fill(tap), 2) : undefined,
    };
  }

  logits(hidden: mx.MxArray): mx.MxArray {
    return certainLogits(mx.numbers(mx.reshape(hidden, -1)), VOCABULARY);
  }

  embed(tokens: mx.MxArray): mx.MxArray {
    return mx.reshape(mx.astype(tokens, testDevice.dtype), 1, tokens.size, 1);
  }

  dispose(): void {
    // It owns no arrays.
  }

  /** Returns the length of the common beginning of `context` and the script. */
  #scriptedLength(context: readonly number[]): number {
    const wrong = context.findIndex((token, i) => token !== this.script.tokens[i]);
    return wrong < 0 ? context.length : wrong;
  }

  /** Returns the token after a context of `length` tokens, of which the first `scripted` follow the script. */
  #next(length: number, scripted: number): number {
    const token = this.script.tokens[length];
    return token !== undefined && length <= scripted ? token : wrongToken(token);
  }
}

/** Creates logits [1, rows, vocabSize] in which one token per row has nearly all probability. */
export function certainLogits(best: readonly number[], vocabSize: number): mx.MxArray {
  const values = best.flatMap((token) =>
    Array.from({ length: vocabSize }, (_, id) => (id === token ? 10 : 0)),
  );
  return mx.reshape(mx.array(values, testDevice.dtype), 1, best.length, vocabSize);
}
