// The same hybrid in the other forms in which it is published: as mlx-lm stores it, as the text part of a model that
// reads images, and with the projections of the other family. Knows names, shapes and bytes only.
import { floatTensor, tensorValues, type FileTensor } from './fileTensor';
import type { Checkpoint } from './tinyCheckpoint';

/** Those that are stored less 1. */
const NORM = /(_layernorm|_norm|model\.norm)\.weight$/;

/** Kernels of [channels, taps, 1], and norms that have their 1. */
export function inMlxLayout({ config, tensors }: Checkpoint): Checkpoint {
  const stored = (name: string, tensor: FileTensor): FileTensor => {
    const [channels = 0, , taps = 0] = tensor.shape;
    if (name.endsWith('.conv1d.weight')) return { ...tensor, shape: [channels, taps, 1] };
    if (!NORM.test(name)) return tensor;
    const values = tensorValues(tensor).map((value) => value + 1);
    return floatTensor(tensor.shape, values);
  };
  return { config, tensors: mapTensors(tensors, (name, tensor) => [[name, stored(name, tensor)]]) };
}

interface ImageModelOptions {
  readonly modelType: string;
  readonly rename: (name: string) => string;
  /** Of the parts that are not the text's: what each of them holds. */
  readonly others: readonly string[];
}

/** The configuration nested, the tensors renamed, and others beside them. */
export function inImageModel({ config, tensors }: Checkpoint, options: ImageModelOptions): Checkpoint {
  const { modelType, rename, others } = options;
  const { eos_token_id, ...text } = config;
  const added = others.map((name) => [name, floatTensor([2, 2], [1, 2, 3, 4])] as const);
  return {
    config: { model_type: modelType, eos_token_id, text_config: text, vision_config: { depth: 2 } },
    tensors: {
      ...mapTensors(tensors, (name, tensor) => [[rename(name), tensor]]),
      ...Object.fromEntries(added),
    },
  };
}

interface Heads {
  readonly keyHeads: number;
  readonly keyDim: number;
  /** Of values, for each key head. */
  readonly sharing: number;
  readonly valueDim: number;
}

/** Qwen3-Next's two products per gated delta layer as the four of Qwen3.5. */
export function withSeparateProjections({ config, tensors }: Checkpoint, heads: Heads): Checkpoint {
  const { keyDim, sharing, valueDim } = heads;
  const wide = sharing * valueDim;
  return {
    config,
    tensors: mapTensors(tensors, (name, tensor) => {
      const [, path, own] = /^(.*\.in_proj_)(qkvz|ba)\.weight$/.exec(name) ?? [];
      if (path === undefined) return [[name, tensor]];
      const widths = own === 'qkvz' ? [keyDim, keyDim, wide, wide] : [sharing, sharing];
      const parts = ungrouped(tensor, heads.keyHeads, widths);
      const whole = own === 'ba' ? parts : [joined(parts.slice(0, 3)), ...parts.slice(3)];
      const names = own === 'ba' ? ['b', 'a'] : ['qkv', 'z'];
      return whole.map((part, i) => [`${path}${names[i] ?? ''}.weight`, part]);
    }),
  };
}

/** Rows that lie head by head, in parts of `widths` each, as one tensor per part. */
function ungrouped(
  { dtype, shape, bytes }: FileTensor,
  groups: number,
  widths: readonly number[],
): FileTensor[] {
  const [rows = 0, columns = 0] = shape;
  const rowBytes = bytes.length / rows;
  const group = widths.reduce((sum, width) => sum + width, 0);
  let from = 0;
  return widths.map((width) => {
    const start = from;
    from += width;
    const pieces = Array.from({ length: groups }, (_, g) =>
      bytes.subarray((g * group + start) * rowBytes, (g * group + start + width) * rowBytes),
    );
    return { dtype, shape: [groups * width, columns], bytes: Buffer.concat(pieces) };
  });
}

function joined(parts: readonly FileTensor[]): FileTensor {
  const rows = parts.reduce((sum, { shape: [own = 0] }) => sum + own, 0);
  const { dtype = '', shape = [] } = parts[0] ?? {};
  return { dtype, shape: [rows, shape[1] ?? 0], bytes: Buffer.concat(parts.map(({ bytes }) => bytes)) };
}

function mapTensors(
  tensors: Checkpoint['tensors'],
  map: (name: string, tensor: FileTensor) => readonly (readonly [string, FileTensor])[],
): Record<string, FileTensor> {
  return Object.fromEntries(Object.entries(tensors).flatMap(([name, tensor]) => map(name, tensor)));
}
