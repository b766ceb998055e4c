// The weights of a checkpoint, in the form that the device needs. Every tensor is checked against the shape that the
// config implies before MLX sees it, and every tensor must be taken, or ignored by name.
import { WrongValue } from '../../rules/userError';
import { bufferCache } from '../mlx/bufferCache';
import type { Device } from '../mlx/device';
import { HeldArrays } from '../mlx/heldArrays';
import { Embedding, Experts, Linear, stackMatrices, type Factor, type Matrix } from '../mlx/linear';
import * as mx from '../mlx/ops';
import { expanded, expandedNote, hasKernel, WORD_BITS } from './packedWeights';
import { hasWidth, repacked, type Repacking } from './repacking';
import {
  GROUP_SIZES,
  parseQuantisation,
  type Quantisation,
  type QuantisationParameters,
} from './quantisation';
import { TensorMismatch, Shards, type TensorKind } from './shards';
import { requireMemory } from './weightMemory';
import type { ModelFiles, OnNote } from './modelFolder';

type ExpertShape = readonly [experts: number, outputs: number, inputs: number];

/**
 * Number to add to the norm weights of the files, which some families store minus 1, or a function that finds it by the
 * tensors; 0 by default.
 */
export type NormOffset = number | ((tensors: Shards['tensors']) => number);

export interface WeightsOptions extends ModelFiles {
  /**
   * Prefixes that all tensor names can have, as some exporters wrap the model in modules. The last one of this list
   * that the files use is put before every requested name. No prefix by default.
   */
  readonly prefixes?: readonly string[];
  readonly normOffset?: NormOffset | undefined;
  readonly repacking?: Repacking | undefined;
}

export class Weights {
  readonly device: Device;
  /** Full names of tensors that were neither taken nor ignored. */
  readonly #unread: Set<string>;
  /** Arrays that live as long as the weights. */
  readonly arrays = new HeldArrays();
  /** Bits per weight of the packed weights that were read. */
  readonly #widths = new Set<number>();
  readonly #normOffset: number;

  private constructor(
    private readonly shards: Shards,
    private readonly quantisation: Quantisation,
    private readonly prefix: string,
    private readonly options: WeightsOptions,
  ) {
    this.device = options.device;
    this.#unread = new Set(shards.tensors.keys());
    const { normOffset = 0 } = options;
    this.#normOffset = typeof normOffset === 'number' ? normOffset : normOffset(shards.tensors);
  }

  /**
   * Opens the weight files of a directory, lets `build` take the weights of its model, and evaluates them.
   * The caller continues while the first part is evaluated. Throws UserError for a missing, wrong or surplus
   * tensor and for weights that do not fit into memory, and frees everything if anything fails.
   */
  static async load<T>(options: WeightsOptions, build: (weights: Weights) => T): Promise<T> {
    const { directory, fields, device, prefixes = [''] } = options;
    const shards = new Shards(directory);
    const names = [...shards.tensors.keys()];
    const prefix = prefixes.findLast((candidate) => names.some((name) => name.startsWith(candidate))) ?? '';
    const quantisation = parseQuantisation(fields);
    requireMemory(shards, quantisation, device);
    const weights = new Weights(shards, quantisation, prefix, options);
    try {
      const model = build(weights);
      weights.#finish(options.onNote);
      await weights.arrays.evaluateAll(options.onProgress);
      bufferCache?.trim();
      return model;
    } catch (error) {
      weights.dispose();
      throw error;
    }
  }

  /** Returns whether the files have a tensor of that name. */
  has(name: string): boolean {
    return this.shards.tensors.has(this.prefix + name);
  }

  /** Returns whether the files have tensors of that module. */
  hasModule(path: string): boolean {
    return [...this.shards.tensors.keys()].some((name) => name.startsWith(`${this.prefix}${path}.`));
  }

  /** Returns the shape of a tensor; undefined if the files have none of that name. */
  shapeOf(name: string): readonly number[] | undefined {
    return this.shards.tensors.get(this.prefix + name)?.shape;
  }

  /** Takes a dense tensor [length], such as a bias. */
  vector(name: string, length: number): mx.MxArray {
    return this.#dense(this.prefix + name, [length]);
  }

  /** Takes a dense tensor and converts it with `make`, which receives it in float32. */
  tensor(name: string, shape: readonly number[], make: (stored: mx.MxArray) => mx.MxArray): mx.MxArray {
    const stored = this.#take(this.prefix + name, shape, 'float');
    return this.arrays.make([stored], () => make(mx.astype(stored, mx.float32)));
  }

  /** Takes a tensor [length] of integers or flags, as int32. */
  integers(name: string, length: number): mx.MxArray {
    const stored = this.#take(this.prefix + name, [length], 'integer');
    return this.arrays.make([stored], () => mx.astype(stored, mx.int32));
  }

  /** Takes `<path>.weight` of a norm [length] and adds the offset of the family. */
  norm(path: string, length: number): mx.MxArray {
    const withOffset = (stored: mx.MxArray) => mx.astype(mx.add(stored, this.#normOffset), this.device.dtype);
    return this.tensor(`${path}.weight`, [length], withOffset);
  }

  /** Makes a constant that lives as long as the weights, by default in the number type of the device. */
  constant(values: readonly number[] | readonly number[][], dtype = this.device.dtype): mx.MxArray {
    return this.arrays.make([], () => mx.array(values, dtype));
  }

  /** Takes `<path>.weight` [outFeatures, inFeatures] as a product, with `<path>.bias` if `bias` is set. */
  linear(path: string, outFeatures: number, inFeatures: number, { bias = false } = {}): Linear {
    const biasVector = bias ? this.vector(`${path}.bias`, outFeatures) : undefined;
    return new Linear(this.#factor(this.#readRepacked(path, outFeatures, inFeatures)), biasVector);
  }

  /** Takes `<path>.weight` [vocabSize, hiddenSize] as a token table. */
  embedding(path: string, vocabSize: number, hiddenSize: number): Embedding {
    return new Embedding(this.#factor(this.#readRepacked(path, vocabSize, hiddenSize)));
  }

  /** Takes `<path>.weight`, or `<path>` itself, as one product per expert. */
  experts(path: string, shape: ExpertShape): Experts {
    return new Experts(this.#factor(this.#read(path, shape)));
  }

  /** Takes one matrix [out, in] per expert, and stacks them. */
  stackedExperts(paths: readonly string[], [, out, inputs]: ExpertShape): Experts {
    const parts = paths.map((path) => this.#read(path, [out, inputs]));
    const join = (arrays: readonly mx.MxArray[]) =>
      this.arrays.make(arrays, () =>
        mx.concatenate(
          arrays.map((part) => mx.reshape(part, 1, ...part.shape)),
          0,
        ),
      );
    return new Experts(this.#factor(stackMatrices(parts, join, this.shards.directory)));
  }

  /** Takes `<path>` [count, 2 · out, in] as two products: the first and the second half of each expert's rows. */
  fusedExperts(path: string, [count, out, inputs]: ExpertShape): [Experts, Experts] {
    const fused = this.#dense(this.prefix + path, [count, 2 * out, inputs]);
    // Copies, as views would leave gaps between the experts.
    const half = (from: number) => () => mx.copy(mx.slice(fused, 1, from, from + out));
    const gate = this.arrays.make([], half(0));
    const up = this.arrays.make([fused], half(out));
    return [new Experts(this.#factor({ dense: gate })), new Experts(this.#factor({ dense: up }))];
  }

  /** Ignores tensors that no pass needs, by their names without the prefix. */
  ignore(pattern: RegExp): void {
    for (const name of this.#unread)
      if (pattern.test(name.replace(this.prefix, ''))) this.#unread.delete(name);
  }

  /**
   * Closes the files and logs which packed weights were expanded because no kernel reads their bits. Throws
   * TensorMismatch for a tensor that was never taken: the checkpoint then has an architecture that the config
   * does not describe.
   */
  #finish(onNote?: OnNote): void {
    this.shards.close();
    const expandedBits = this.device.keepsQuantised
      ? [...this.#widths].filter((bits) => !hasKernel(bits))
      : [];
    if (expandedBits.length > 0) onNote?.(expandedNote(this.shards.directory, expandedBits));
    const [first] = this.#unread;
    if (first === undefined) return;
    throw new TensorMismatch({
      expected: `only the tensors of this architecture in ${this.shards.directory}`,
      got: `unexpected tensor ${first}${this.#unread.size > 1 ? ` and ${String(this.#unread.size - 1)} more` : ''}`,
      remedy: 'check model_type and the sizes in config.json',
    });
  }

  /** Frees all weights. The models built from them must not be used again. */
  dispose(): void {
    this.shards.close();
    this.arrays.dispose();
  }

  /** Takes a matrix in the form that the device needs. */
  #read(path: string, shape: readonly number[]): Matrix {
    const full = this.prefix + path;
    if (!this.shards.tensors.has(`${full}.scales`)) {
      return { dense: this.#dense(this.shards.tensors.has(full) ? full : `${full}.weight`, shape) };
    }
    const rows = shape.slice(0, -1);
    const columns = shape.at(-1) ?? 0;
    const parameters = this.#parameters(full, columns);
    const { groupSize, bits } = parameters;
    this.#widths.add(bits);
    const weight = this.#take(`${full}.weight`, [...rows, (columns * bits) / WORD_BITS], 'packed');
    const scales = this.#take(`${full}.scales`, [...rows, columns / groupSize], 'float');
    const biases = this.#take(`${full}.biases`, [...rows, columns / groupSize], 'float');
    if (this.device.keepsQuantised && hasKernel(bits)) {
      // Scales of float16 would lose bits in bfloat16, so they become float32; products are converted to `result`.
      const { dtype } = this.device;
      const keepsFloat32 = scales.dtype === mx.float16 && dtype !== mx.float32;
      const [type, result] = keepsFloat32 ? [mx.float32, dtype] : [dtype, undefined];
      const exact = { scales: this.#cast(scales, type), biases: this.#cast(biases, type) };
      return { weight, ...exact, ...parameters, result };
    }
    const expand = () => {
      const exact = { scales: mx.astype(scales, mx.float32), biases: mx.astype(biases, mx.float32) };
      return mx.astype(expanded({ weight, ...exact, ...parameters }), this.device.dtype);
    };
    return { dense: this.arrays.make([weight, scales, biases], expand) };
  }

  /** Takes a matrix [rows, columns], repacked into the requested bits if its module is to be repacked. */
  #readRepacked(path: string, rows: number, columns: number): Matrix {
    const matrix = this.#read(path, [rows, columns]);
    const { repacking } = this.options;
    if (!repacking?.modules.test(path)) return matrix;
    const full = this.prefix + path;
    const isPacked = this.shards.tensors.has(`${full}.scales`);
    // The file has these bits already; rounding again would only lose precision.
    if (isPacked && hasWidth(this.#parameters(full, columns), repacking.bits)) return matrix;
    return this.arrays.remake(matrix, () => repacked(matrix, repacking.bits, this.device));
  }

  #dense(name: string, shape: readonly number[]): mx.MxArray {
    return this.#cast(this.#take(name, shape, 'float'));
  }

  #cast(array: mx.MxArray, dtype = this.device.dtype): mx.MxArray {
    return this.arrays.make([array], () => mx.astype(array, dtype));
  }

  /** Adds the transposed view to dense weights. */
  #factor(weights: Matrix): Factor {
    if ('scales' in weights) return weights;
    const { dense } = weights;
    const axes = dense.ndim === 2 ? [1, 0] : [0, 2, 1];
    return { dense, transposed: this.arrays.make([], () => mx.transpose(dense, ...axes)) };
  }

  /** Returns how the packed matrix at `path`, with `columns` inputs, is quantised. Throws UserError. */
  #parameters(path: string, columns: number): QuantisationParameters {
    const stored = this.quantisation(path);
    const groups = this.shards.tensors.get(`${path}.scales`)?.shape.at(-1) ?? 0;
    const parameters = stored && { bits: stored.bits, groupSize: stored.groupSize ?? columns / groups };
    const isGroup = parameters && GROUP_SIZES.includes(parameters.groupSize);
    if (isGroup && columns % parameters.groupSize === 0) return parameters;
    throw new WrongValue({
      expected: `config.json of ${this.shards.directory} to say how ${path} is quantised, with groups that divide ${String(columns)} inputs`,
      got: parameters ? `group_size ${String(parameters.groupSize)}` : 'no quantization entry',
      remedy: 'restore the quantization object of config.json',
    });
  }

  #take(name: string, shape: readonly number[], kind: TensorKind): mx.MxArray {
    const array = this.shards.read(name, shape, kind);
    this.#unread.delete(name);
    return this.arrays.take(array);
  }
}
