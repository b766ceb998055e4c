// Hands out the weights of a checkpoint, layer by layer, in the form the device wants. Every tensor is checked
// against the shape that the configuration implies before MLX sees it, and none may be left over.
import { InputError } from '../inputError';
import type { ConfigFields } from './configFields';
import type { Device } from './device';
import { DenseExperts, QuantisedExperts, type Experts } from './experts';
import { DenseEmbedding, DenseLinear, QuantisedEmbedding, QuantisedLinear } from './linear';
import type { Embedding, Linear, Quantised } from './linear';
import { dispose, keep, scope, settle } from './memory';
import * as mx from './ops';
import { parseQuantisation, type Quantisation, type QuantisationParameters } from './quantisation';
import { requireMemory } from './requireMemory';
import { Shards } from './shards';

const PACKED_BITS = 32;

/** A weight of any number of axes whose last one is the input of its product. */
type Matrix = { readonly dense: mx.MxArray } | Quantised;
/** Experts, outputs, inputs. */
type ExpertShape = readonly [count: number, out: number, inputs: number];

export interface WeightsOptions {
  readonly fields: ConfigFields;
  readonly device: Device;
  readonly prefixes?: readonly string[];
  /** What the file's norm weights lack: some families store them less 1. */
  readonly normOffset?: number | undefined;
}

export class Weights {
  readonly #shards: Shards;
  readonly #quantisation: Quantisation;
  readonly #unread: Set<string>;
  /** Every array handed out; the models only borrow them. */
  readonly #owned: mx.MxArray[] = [];
  /** Arrays read from the files whose final form is not yet made. */
  readonly #raw = new Set<mx.MxArray>();
  #settled = 0;

  private constructor(
    shards: Shards,
    quantisation: Quantisation,
    private readonly device: Device,
    private readonly prefix: string,
    private readonly normOffset: number,
  ) {
    this.#shards = shards;
    this.#quantisation = quantisation;
    this.#unread = new Set(shards.tensors.keys());
  }

  /**
   * Opens the weight files of `directory`, lets `build` take what its model needs, and evaluates that. Throws when
   * a tensor is left over, and frees everything when anything fails. Some exporters wrap all modules in one: the
   * last of `prefixes` that a tensor name starts with is put before every name asked for.
   */
  static async load<T>(
    directory: string,
    { fields, device, prefixes = [''], normOffset = 0 }: WeightsOptions,
    build: (weights: Weights) => T | Promise<T>,
  ): Promise<T> {
    const shards = new Shards(directory);
    const names = [...shards.tensors.keys()];
    const prefix = prefixes.findLast((candidate) => names.some((name) => name.startsWith(candidate))) ?? '';
    const quantisation = parseQuantisation(fields);
    requireMemory(shards, quantisation, device);
    const weights = new Weights(shards, quantisation, device, prefix, normOffset);
    try {
      const model = await build(weights);
      await weights.settle();
      weights.#finish();
      return model;
    } catch (error) {
      weights.dispose();
      throw error;
    }
  }

  /** Whether the files hold a tensor of that name. */
  has(name: string): boolean {
    return this.#shards.tensors.has(this.prefix + name);
  }

  /** The shape of a tensor of the files. */
  shapeOf(name: string): readonly number[] | undefined {
    return this.#shards.tensors.get(this.prefix + name)?.shape;
  }

  /** A dense [length] tensor, such as a bias. */
  vector(name: string, length: number): mx.MxArray {
    return this.#own(this.#dense(this.prefix + name, [length]));
  }

  /** A dense tensor in the form that `make` gives it, which is shown it in float32. */
  tensor(name: string, shape: readonly number[], make: (stored: mx.MxArray) => mx.MxArray): mx.MxArray {
    const stored = this.#take(this.prefix + name, shape, 'float');
    return this.#own(this.#derive([stored], () => make(mx.astype(stored, mx.float32))));
  }

  /** `<path>.weight` of a norm, [length], in the form that norms multiply with. */
  norm(path: string, length: number): mx.MxArray {
    const whole = (stored: mx.MxArray) => mx.astype(mx.add(stored, this.normOffset), this.device.dtype);
    return this.tensor(`${path}.weight`, [length], whole);
  }

  /** A constant that lives as long as the weights. */
  constant(values: readonly number[] | readonly number[][]): mx.MxArray {
    return this.#own(this.#derive([], () => mx.constant(values, this.device.dtype)));
  }

  /** `<path>.weight` as a [outFeatures, inFeatures] product, with `<path>.bias` when `bias` says so. */
  linear(path: string, outFeatures: number, inFeatures: number, { bias = false } = {}): Linear {
    const biasVector = bias ? this.vector(`${path}.bias`, outFeatures) : undefined;
    const weights = this.#matrix(path, [outFeatures, inFeatures]);
    if ('scales' in weights) return new QuantisedLinear(weights, biasVector);
    return new DenseLinear(this.#transposed(weights.dense), biasVector);
  }

  /** `<path>.weight` as a table of `vocabSize` rows. */
  embedding(path: string, vocabSize: number, hiddenSize: number): Embedding {
    const weights = this.#matrix(path, [vocabSize, hiddenSize]);
    if ('scales' in weights) return new QuantisedEmbedding(weights);
    return new DenseEmbedding(weights.dense, this.#transposed(weights.dense));
  }

  /** `<path>.weight`, or `<path>` itself, as one product for each expert. */
  experts(path: string, shape: ExpertShape): Experts {
    const weights = this.#matrix(path, shape);
    if ('scales' in weights) return new QuantisedExperts(weights);
    return new DenseExperts(this.#transposed(weights.dense));
  }

  /** `<path>` [count, 2 · out, in]: the first half of the rows of each expert is one product, the second another. */
  fusedExperts(path: string, [count, out, inputs]: ExpertShape): [Experts, Experts] {
    const fused = this.#own(this.#dense(this.prefix + path, [count, 2 * out, inputs]));
    const half = (from: number) =>
      this.#own(this.#derive([], () => mx.transpose(mx.slice(fused, 1, from, from + out), 0, 2, 1)));
    return [new DenseExperts(half(0)), new DenseExperts(half(out))];
  }

  /** The dense `<path>.weight` [out, in] of each of `paths`, stacked into one array. */
  stackedExperts(paths: readonly string[], [, out, inputs]: ExpertShape): Experts {
    const parts = paths.map((path) => this.#dense(`${this.prefix}${path}.weight`, [out, inputs]));
    const stack = this.#derive(parts, () => {
      const single = parts.map((part) => mx.reshape(part, 1, out, inputs));
      return mx.concatenate(single, 0);
    });
    return new DenseExperts(this.#transposed(this.#own(stack)));
  }

  /** Drops tensors that some exporters add and no forward pass needs, by their names without the prefix. */
  ignore(pattern: RegExp): void {
    for (const name of this.#unread) if (pattern.test(name.replace(this.prefix, ''))) this.#unread.delete(name);
  }

  /** Evaluates what was handed out since the last call; called per layer so that loading never blocks long. */
  async settle(): Promise<void> {
    await settle(this.#owned.slice(this.#settled));
    this.#settled = this.#owned.length;
  }

  /** Closes the files. Throws when a tensor was never asked for: the checkpoint is of another architecture. */
  #finish(): void {
    this.#shards.close();
    const [first] = this.#unread;
    if (first === undefined) return;
    throw new InputError({
      expected: `only the tensors of this architecture in ${this.#shards.directory}`,
      got: `unexpected tensor ${first}${this.#unread.size > 1 ? ` and ${String(this.#unread.size - 1)} more` : ''}`,
      remedy: 'check model_type and the sizes in config.json',
    });
  }

  /** Frees all weights. The models built from them must not be used again. */
  dispose(): void {
    this.#shards.close();
    dispose(this.#owned.splice(0), [...this.#raw]);
    this.#raw.clear();
  }

  #matrix(path: string, shape: readonly number[]): Matrix {
    const full = this.prefix + path;
    if (!this.#shards.tensors.has(`${full}.scales`)) {
      const name = this.#shards.tensors.has(full) ? full : `${full}.weight`;
      return { dense: this.#own(this.#dense(name, shape)) };
    }
    const [rows, columns] = [shape.slice(0, -1), shape.at(-1) ?? 0];
    const parameters = this.#parameters(full, columns);
    const { groupSize, bits } = parameters;
    const packed = this.#take(`${full}.weight`, [...rows, (columns * bits) / PACKED_BITS], 'packed');
    const scales = this.#take(`${full}.scales`, [...rows, columns / groupSize], 'float');
    const biases = this.#take(`${full}.biases`, [...rows, columns / groupSize], 'float');
    if (this.device.keepsQuantised) {
      const [s, b] = [this.#own(this.#cast(scales)), this.#own(this.#cast(biases))];
      return { weight: this.#own(packed), scales: s, biases: b, ...parameters };
    }
    const dense = this.#derive([packed, scales, biases], () =>
      mx.dequantize(packed, mx.astype(scales, mx.float32), mx.astype(biases, mx.float32), groupSize, bits),
    );
    return { dense: this.#own(dense) };
  }

  #dense(name: string, shape: readonly number[]): mx.MxArray {
    return this.#cast(this.#take(name, shape, 'float'));
  }

  #cast(array: mx.MxArray): mx.MxArray {
    return this.#derive([array], () => mx.astype(array, this.device.dtype));
  }

  /** A view with the last two axes swapped, as products want it. */
  #transposed(dense: mx.MxArray): mx.MxArray {
    const axes = dense.ndim === 2 ? [1, 0] : [0, 2, 1];
    return this.#own(this.#derive([], () => mx.transpose(dense, ...axes)));
  }

  /** Builds an array from sources that are no longer needed afterwards. */
  #derive(sources: readonly mx.MxArray[], build: () => mx.MxArray): mx.MxArray {
    const array = keep(scope(build));
    dispose(sources);
    for (const source of sources) this.#raw.delete(source);
    this.#raw.add(array);
    return array;
  }

  /** Its final form: kept until the weights are disposed. */
  #own(array: mx.MxArray): mx.MxArray {
    this.#raw.delete(array);
    this.#owned.push(array);
    return array;
  }

  #parameters(path: string, columns: number): QuantisationParameters {
    const parameters = this.#quantisation(path, path.slice(this.prefix.length));
    if (parameters && columns % parameters.groupSize === 0) return parameters;
    throw new InputError({
      expected: `config.json of ${this.#shards.directory} to say how ${path} is quantised, with groups that divide ${String(columns)} inputs`,
      got: parameters ? `group_size ${String(parameters.groupSize)}` : 'no quantization entry',
      remedy: 'restore the quantization object of config.json',
    });
  }

  #take(name: string, shape: readonly number[], kind: 'float' | 'packed'): mx.MxArray {
    const info = this.#shards.tensors.get(name);
    const expected = `tensor ${name} [${shape.join(', ')}] in ${this.#shards.directory}`;
    const remedy = 'check config.json against the weights, or download the checkpoint again';
    if (info === undefined) throw new InputError({ expected, got: 'no such tensor', remedy });
    if (info.shape.length !== shape.length || info.shape.some((size, axis) => size !== shape[axis])) {
      throw new InputError({ expected, got: `shape [${info.shape.join(', ')}]`, remedy });
    }
    const kinds = kind === 'packed' ? ['U32'] : ['F32', 'F16', 'BF16'];
    if (!kinds.includes(info.dtype)) {
      throw new InputError({ expected: `${expected} of type ${kinds.join(', ')}`, got: info.dtype, remedy });
    }
    this.#unread.delete(name);
    const array = this.#shards.read(name);
    this.#raw.add(array);
    return array;
  }
}
