// The stored weights of one product or of several stacked ones, dense or packed, before anything multiplies by them.
import { InputError } from '../inputError';
import type { Quantised } from './linear';
import type { MxArray } from './mlxCore';

/** A weight of two or three axes, whose last is the input of its product. */
export type Matrix = { readonly dense: MxArray } | Quantised;

/** Joins arrays of one shape along a new first axis. */
type Join = (arrays: readonly MxArray[]) => MxArray;

/** Several matrices of one size as one. Throws InputError, naming `source`, unless all are dense or packed alike. */
export function stackMatrices(parts: readonly Matrix[], join: Join, source: string): Matrix {
  const dense = parts.flatMap((part) => ('dense' in part ? [part.dense] : []));
  const packed = parts.flatMap((part) => ('dense' in part ? [] : [part]));
  const [first] = packed;
  if (first === undefined) return { dense: join(dense) };
  const alike = packed.filter(({ bits, groupSize }) => bits === first.bits && groupSize === first.groupSize);
  if (alike.length < parts.length) {
    throw new InputError({
      expected: `all experts of a layer quantised alike in ${source}`,
      got: 'several ways',
      remedy: 'use a checkpoint of mlx-community',
    });
  }
  return {
    ...first,
    weight: join(packed.map(({ weight }) => weight)),
    scales: join(packed.map(({ scales }) => scales)),
    biases: join(packed.map(({ biases }) => biases)),
  };
}
