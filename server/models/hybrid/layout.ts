// How the files of a hybrid name and store its tensors: the text part may be nested, in two ways, and mlx-lm turns
// the kernels of the convolutions and adds 1 to the norms. Only names and shapes are read.
import { Shards } from '../shards';

export interface HybridLayout {
  /** Before every name, that of the head too. */
  readonly prefix: string;
  /** The module of everything but the head. */
  readonly root: string;
  /** What the norm weights lack. */
  readonly normOffset: number;
}

const KERNEL = 'linear_attn.conv1d.weight';
const ROOTS = [
  { prefix: '', root: 'model' },
  { prefix: '', root: 'model.language_model' },
  { prefix: 'language_model.', root: 'model' },
];

export function readLayout(directory: string): HybridLayout {
  const { tensors } = new Shards(directory);
  const names = [...tensors.keys()];
  const at = ROOTS.find(({ prefix, root }) =>
    names.some((name) => name.startsWith(`${prefix}${root}.layers.`)),
  );
  const [, kernel] = [...tensors].find(([name]) => name.endsWith(KERNEL)) ?? [];
  // Files with kernels of [channels, 1, taps] have norms less 1; in the others both are as they are computed with.
  const isTurned = kernel?.shape.at(-1) === 1;
  return { ...(at ?? { prefix: '', root: 'model' }), normOffset: isTurned ? 0 : 1 };
}
