// The token table and output head in a drafter's checkpoint. They are normally copies of the target's: they are loaded,
// compared and freed before the network is read, and the target's replace those that are equal.
import * as mx from '../../mlx/ops';
import { formatSize } from '../../../rules/formatNumber';
import type { Embedding, Factor, Linear } from '../../mlx/linear';
import type { DrafterFiles } from '../drafter';
import { dispose, scope } from '../../mlx/memory';
import { evaluate } from '../../mlx/evaluation';
import type { Weights } from '../../checkpoint/weights';
import { useSomeWeights } from './blockWeights';
import type { BlockConfig } from './blockConfig';

const TOKEN_TABLE = 'embed_tokens';
const OUTPUT_HEAD = 'lm_head';

export interface OwnTables {
  /** Token table; undefined to use the target's. */
  readonly table: Embedding | undefined;
  /** Output head; undefined to use the target's. */
  readonly head: Linear | undefined;
}

/** A drafter's config with the scalars of its own tables. */
export interface TableConfig extends BlockConfig {
  /** Factor of the rows of the drafter's own token table; 1 by default. */
  readonly embeddingScale?: number | undefined;
  /** Soft cap of the drafter's own output head; none by default. */
  readonly finalLogitSoftcapping?: number | undefined;
}

/** Returns the names of the tables that equal the target's value for value, with the same scale and cap. */
export async function redundantTables(
  files: DrafterFiles,
  config: TableConfig,
  vocabSize: number,
): Promise<readonly string[]> {
  const target = files.tables;
  if (target === undefined) return [];
  const takeTables = (weights: Weights) => loadOwnTables(weights, config, vocabSize, []);
  return await useSomeWeights(files, takeTables, async (own) => {
    const shared: string[] = [];
    // A tied head has the same array as the token table, which counts once.
    const dropped = new Set<mx.MxArray>();
    for (const [name, scalar, ownTable, targetTable] of [
      [TOKEN_TABLE, 'embeddingScale', own.table?.table, target.table],
      [OUTPUT_HEAD, 'finalLogitSoftcapping', own.head?.weights, target.head],
    ] as const) {
      if (ownTable === undefined || config[scalar] !== target[scalar]) continue;
      if (!(await isSame(ownTable, targetTable))) continue;
      shared.push(name);
      for (const array of arraysOf(ownTable)) dropped.add(array);
    }
    const bytes = [...dropped].reduce((sum, { nbytes }) => sum + nbytes, 0);
    if (shared.length > 0)
      files.onNote?.(
        `the target's ${shared.join(' and ')} replace equal copies of the drafter (${formatSize(bytes)})`,
      );
    return shared;
  });
}

/**
 * Loads the tables that the checkpoint has, except the `shared` ones. `vocabSize` is the number of rows of the token
 * table.
 */
export function loadOwnTables(
  weights: Weights,
  config: TableConfig,
  vocabSize: number,
  shared: readonly string[],
): OwnTables {
  const { draftVocabSize, hiddenSize, tieWordEmbeddings } = config;
  const readTable = () => weights.embedding(TOKEN_TABLE, vocabSize, hiddenSize);
  const [hasTable, hasHead] = [TOKEN_TABLE, OUTPUT_HEAD].map((name) => weights.hasModule(name));
  for (const name of shared) weights.ignore(new RegExp(`^${name}\\.`));
  const table = hasTable && !shared.includes(TOKEN_TABLE) ? readTable() : undefined;
  if (shared.includes(OUTPUT_HEAD)) return { table, head: undefined };
  if (hasHead) return { table, head: weights.linear(OUTPUT_HEAD, draftVocabSize, hiddenSize) };
  const isTied = tieWordEmbeddings && hasTable && draftVocabSize === vocabSize;
  return { table, head: isTied ? (table ?? readTable()).asLinear() : undefined };
}

async function isSame(own: Factor, target: Factor): Promise<boolean> {
  const others = arraysOf(target);
  const pairs = arraysOf(own).map((array, i) => [array, others[i] ?? array] as const);
  const formOf = ({ dtype, shape }: mx.MxArray) => [dtype, ...shape];
  if (pairs.length !== others.length || pairs.some(([a, b]) => !isEqual(formOf(a), formOf(b)))) return false;
  const flags = scope(() => pairs.map(([a, b]) => mx.arrayEqual(a, b)));
  await evaluate(flags);
  const values = flags.map((flag) => flag.tolist());
  dispose(flags);
  return values.every((value) => value === true);
}

function isEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

function arraysOf(factor: Factor): mx.MxArray[] {
  return 'dense' in factor ? [factor.dense] : [factor.weight, factor.scales, factor.biases];
}
