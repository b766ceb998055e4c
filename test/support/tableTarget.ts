// A target and a drafter over a small vocabulary whose logits come from tables, so that sampling has real choices. They
// read their context back from their caches and states, so a token kept or dropped by mistake leads them astray.
import type { Drafter, Proposal, ProposedChain, Selector } from '../../server/models/drafters/drafter';
import { KVCache } from '../../server/models/decoder/kvCache';
import { cacheOf, type LayerCache } from '../../server/models/decoder/layerCache';
import { noDrafter, tokenState } from './noDrafter';
import * as mx from '../../server/models/mlx/ops';
import type { Forward, TargetConfig, TargetModel } from '../../server/models/decoder/target';
import { arrayOf } from './arrayValues';
import { testDevice } from './testDevice';
import type { LogitTable } from './logitTable';

export class TableTarget implements TargetModel {
  readonly config: TargetConfig;

  constructor(
    private readonly table: LogitTable,
    eosTokenIds: readonly number[] = [],
  ) {
    const sizes = { hiddenSize: table.vocabSize, vocabSize: table.vocabSize, maxPositionEmbeddings: 4096 };
    this.config = { modelType: 'table', numHiddenLayers: 1, ...sizes, eosTokenIds };
  }

  newCaches(expectedRows: number): KVCache[] {
    return [new KVCache({ heads: 1, headDim: 1, dtype: testDevice.dtype }, expectedRows)];
  }

  /** Keys and values are the tokens themselves; hidden states are the logits. */
  forward(tokens: mx.MxArray, caches: readonly LayerCache[]): Forward {
    const rows = tokens.size;
    const ids = mx.reshape(mx.astype(tokens, testDevice.dtype), 1, 1, rows, 1);
    const { keys } = cacheOf(KVCache, caches[0]).append(ids, ids);
    const context = mx.numbers(mx.reshape(keys, -1));
    const first = context.length - rows + 1;
    const logits = Array.from({ length: rows }, (_, i) => this.table.after(context.slice(0, first + i)));
    return { hidden: arrayOf([1, rows, this.config.vocabSize], logits.flat()), taps: undefined };
  }

  logits(hidden: mx.MxArray): mx.MxArray {
    return hidden;
  }

  embed(tokens: mx.MxArray): mx.MxArray {
    return tokens;
  }

  dispose(): void {
    // It owns no arrays.
  }
}

/**
 * Creates a chain, whose rows each depend on the draft before them. Its confidence is the log-probability of the best
 * token.
 */
function tableChain({ vocabSize, after }: LogitTable, text: readonly number[], rows: number): ProposedChain {
  const pairs = Array.from({ length: vocabSize ** 2 }, (_, i) =>
    after([Math.floor(i / vocabSize), i % vocabSize]),
  );
  return {
    draft: (choose) => {
      const logits = arrayOf([vocabSize ** 2, vocabSize], pairs.flat());
      const id = (at: number): mx.MxArray => mx.array([text.at(at) ?? 0], mx.int32);
      let [before, last] = [id(-2), id(-1)];
      const confidences = Array.from({ length: rows }, (_, i) => {
        const rowsBefore = mx.multiply(mx.astype(before, mx.float32), vocabSize);
        const pairIndex = mx.add(rowsBefore, mx.astype(last, mx.float32));
        const row = mx.reshape(mx.take(logits, mx.astype(pairIndex, mx.int32)), 1, 1, vocabSize);
        before = last;
        last = choose(row, i);
        return mx.topLogProbability(row);
      });
      return mx.reshape(mx.concatenate(confidences, 1), -1);
    },
  };
}

/** Creates a drafter that proposes chains. */
export function chainedTableDrafter(table: LogitTable, maxDraftTokens: number): Drafter {
  return drafterOf(maxDraftTokens, (text, count) => tableChain(table, text, count));
}

/**
 * Creates a drafter that proposes a block. Its rows after the first do not see the draft before them, so
 * `i % vocabSize` stands in for it. With `candidates`, a selector chooses among that many by gains from the table
 * for pairs of tokens.
 */
export function tableDrafter(table: LogitTable, maxDraftTokens: number, candidates?: number): Drafter {
  const { vocabSize, after } = table;
  return drafterOf(maxDraftTokens, (text, count) => {
    const rows = Array.from({ length: count }, (_, i) =>
      after([...text, i % vocabSize].slice(0, i === 0 ? -1 : undefined)),
    );
    const logits = arrayOf([1, count, vocabSize], rows.flat());
    return candidates === undefined
      ? { logits }
      : { logits, selector: tableSelector(table, text.at(-1) ?? 0, candidates) };
  });
}

function tableSelector({ after }: LogitTable, anchor: number, candidates: number): Selector {
  return {
    candidates,
    gains: (ids) => {
      const rows = mx.rows(ids);
      const gains = rows.flatMap((tokens, row) =>
        tokens.flatMap((_, i) => {
          const scores = after([0, row === 0 ? anchor : (rows[row - 1]?.[i] ?? 0)]);
          return tokens.map((token) => scores[token] ?? 0);
        }),
      );
      return arrayOf([rows.length, rows[0]?.length ?? 0, rows[0]?.length ?? 0], gains);
    },
  };
}

/** Creates a drafter. `propose` gets the text, which ends with the anchor. */
function drafterOf(
  maxDraftTokens: number,
  propose: (text: readonly number[], count: number) => Proposal,
): Drafter {
  const newState = () =>
    tokenState((text) => ({ propose: (anchor, count) => propose([...text, anchor], count) }));
  return { ...noDrafter, name: 'table', isFree: false, maxDraftTokens, newState };
}
