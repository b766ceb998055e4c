// The tensors of a small safetensors file whose values have four bytes each.
import { readFileSync } from 'node:fs';

interface Tensor {
  readonly shape: readonly number[];
  readonly values: (read: (bytes: Buffer, at: number) => number) => number[];
}

/** By name. */
export function safetensors(file: string): Readonly<Record<string, Tensor>> {
  const bytes = readFileSync(file);
  const start = 8 + Number(bytes.readBigUInt64LE());
  const header = JSON.parse(bytes.toString('utf8', 8, start)) as Record<
    string,
    { readonly shape: readonly number[]; readonly data_offsets: readonly [number, number] }
  >;
  const named = Object.entries(header).filter(([name]) => name !== '__metadata__');
  return Object.fromEntries(
    named.map(([name, { shape, data_offsets: offsets }]) => {
      const [from, to] = offsets;
      const values: Tensor['values'] = (read) =>
        Array.from({ length: (to - from) / 4 }, (_, i) => read(bytes, start + from + 4 * i));
      return [name, { shape, values }];
    }),
  );
}
