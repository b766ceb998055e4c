// Converts checkpoints to other forms in which models are published: a hybrid as mlx-lm stores it, and the text part of
// a model that reads images. Knows names, shapes and bytes only.
import { floatTensor, tensorValues, type FileTensor } from './fileTensor';
import type { Checkpoint } from './tinyCheckpoint';

/** Norms whose weights are stored with 1 subtracted. */
const NORM = /(_layernorm|_norm|model\.norm)\.weight$/;

/** Converts a hybrid to mlx-lm's layout: kernels of [channels, taps, 1], and norms with their 1 added. */
export function inMlxLayout({ config, tensors }: Checkpoint): Checkpoint {
  const stored = (name: string, tensor: FileTensor): FileTensor => {
    const [channels = 0, , taps = 0] = tensor.shape;
    if (name.endsWith('.conv1d.weight')) return { ...tensor, shape: [channels, taps, 1] };
    if (!NORM.test(name)) return tensor;
    return floatTensor(
      tensor.shape,
      tensorValues(tensor).map((value) => value + 1),
    );
  };
  return { config, tensors: mapTensors(tensors, (name, tensor) => [name, stored(name, tensor)]) };
}

export interface ImageModelOptions {
  readonly modelType: string;
  readonly rename: (name: string) => string;
  /** Tensor names of the parts that do not belong to the text model. */
  readonly addedTensors: readonly string[];
}

/** Converts a text model to the text part of an image model: nests its config, renames its tensors and adds some. */
export function inImageModel({ config, tensors }: Checkpoint, options: ImageModelOptions): Checkpoint {
  const { modelType, rename, addedTensors } = options;
  const { eos_token_id, ...text } = config;
  const added = addedTensors.map((name) => [name, floatTensor([2, 2], [1, 2, 3, 4])] as const);
  return {
    config: { model_type: modelType, eos_token_id, text_config: text, vision_config: { depth: 2 } },
    tensors: {
      ...mapTensors(tensors, (name, tensor) => [rename(name), tensor]),
      ...Object.fromEntries(added),
    },
  };
}

function mapTensors(
  tensors: Checkpoint['tensors'],
  map: (name: string, tensor: FileTensor) => readonly [string, FileTensor],
): Record<string, FileTensor> {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => map(name, tensor)));
}
