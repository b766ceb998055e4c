// The copies of the target's token table and output head in a DSpark checkpoint, if it has them. They are dropped if the
// target has the same values in memory. Knows nothing about what is computed with them.
import { PREFIXES } from '../blockDrafter/backbone';
import { formatSize } from '../../../rules/numbers';
import type { Embedding, Factor, Linear } from '../../decoder/linear';
import type { DrafterFiles } from '../drafter';
import { dispose, evaluate, scope } from '../../mlx/memory';
import * as mx from '../../mlx/ops';
import { Weights } from '../../checkpoint/weights';
import { TABLES } from './dsparkConfig';

const [TOKEN_TABLE, OUTPUT_HEAD] = TABLES;

export interface OwnTables {
  /** Undefined where the target's is to be used. */
  readonly table: Embedding | undefined;
  readonly head: Linear | undefined;
}

interface TableSizes {
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly tieWordEmbeddings: boolean;
  /** Those that must not be in the files. */
  readonly withoutTables: readonly string[];
}

/** The names of those that the target has too, value for value. */
export async function sharedTables(files: DrafterFiles, sizes: TableSizes): Promise<string[]> {
  const target = files.tables;
  if (target === undefined || sizes.withoutTables.length === TABLES.length) return [];
  const own = await Weights.load({ ...files, prefixes: PREFIXES }, (weights) => {
    const { table, head } = loadTables(weights, sizes, []);
    // What else is there is read with the network.
    weights.ignore(/^/);
    return { weights, table, head };
  });
  try {
    const shared: string[] = [];
    let bytes = 0;
    for (const [name, mine, theirs] of [
      [TOKEN_TABLE, own.table?.table, target.table],
      [OUTPUT_HEAD, own.head?.weights, target.head],
    ] as const) {
      if (mine === undefined || !(await isSame(mine, theirs))) continue;
      shared.push(name);
      bytes += arraysOf(mine).reduce((sum, { nbytes }) => sum + nbytes, 0);
    }
    if (shared.length > 0)
      files.onNote?.(
        `the drafter's own ${shared.join(' and ')}, ${formatSize(bytes)}, equal what the target has, which is used`,
      );
    return shared;
  } finally {
    own.weights.dispose();
  }
}

/** Takes all but those that are `shared`, and nothing for those that the files must not have. */
export function loadTables(weights: Weights, sizes: TableSizes, shared: readonly string[]): OwnTables {
  const { vocabSize, hiddenSize, withoutTables, tieWordEmbeddings } = sizes;
  const isOwn = (name: string): boolean => ![...withoutTables, ...shared].includes(name);
  const readTable = (): Embedding => weights.embedding(TOKEN_TABLE, vocabSize, hiddenSize);
  const isTied = tieWordEmbeddings && !withoutTables.includes(TOKEN_TABLE) && !weights.hasModule(OUTPUT_HEAD);
  for (const name of shared) weights.ignore(new RegExp(`^${name}\\.`));
  const table = isOwn(TOKEN_TABLE) ? readTable() : undefined;
  if (!isOwn(OUTPUT_HEAD)) return { table, head: undefined };
  if (isTied) return { table, head: (table ?? readTable()).asLinear() };
  return { table, head: weights.linear(OUTPUT_HEAD, vocabSize, hiddenSize) };
}

async function isSame(mine: Factor, theirs: Factor): Promise<boolean> {
  const others = arraysOf(theirs);
  const pairs = arraysOf(mine).map((array, i) => [array, others[i] ?? array] as const);
  const formOf = ({ dtype, shape }: mx.MxArray) => [dtype, ...shape];
  if (pairs.length !== others.length || pairs.some(([a, b]) => !isEqual(formOf(a), formOf(b)))) return false;
  const same = scope(() => pairs.map(([a, b]) => mx.allEqual(a, b)));
  await evaluate(same);
  const answers = same.map((each) => each.tolist());
  dispose(same);
  return answers.every((answer) => answer === true);
}

function isEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

function arraysOf(factor: Factor): mx.MxArray[] {
  return 'dense' in factor ? [factor.dense] : [factor.weight, factor.scales, factor.biases];
}
