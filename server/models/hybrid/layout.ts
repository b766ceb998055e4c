// How the files of a hybrid name and store its tensors: the text part may be nested, in two ways, and mlx-lm turns
// the kernels of the convolutions and adds 1 to the norms. Only names and shapes are read.
import { Shards } from '../shards';
import { findTextPart, type TextPart } from '../textPart';

export interface HybridLayout extends TextPart {
  /** What the norm weights lack. */
  readonly normOffset: number;
}

const KERNEL = 'linear_attn.conv1d.weight';

export function readLayout(directory: string): HybridLayout {
  const { tensors } = new Shards(directory);
  const [, kernel] = [...tensors].find(([name]) => name.endsWith(KERNEL)) ?? [];
  // Files with kernels of [channels, 1, taps] have norms less 1; in the others both are as they are computed with.
  const isTurned = kernel?.shape.at(-1) === 1;
  return { ...findTextPart([...tensors.keys()]), normOffset: isTurned ? 0 : 1 };
}
