// Types of the part of node-mlx that Flashline uses, written by hand: the package's own typings do not
// compile under strict settings and are wrong in places. True for 0.0.7 and 0.4.x unless a line says so.

export interface Dtype {
  readonly size: number;
}

/** A lazily evaluated n-dimensional array. Freed by `memory.dispose`, never by hand. */
export interface MxArray {
  readonly shape: readonly number[];
  readonly dtype: Dtype;
  readonly ndim: number;
  readonly size: number;
  readonly nbytes: number;
  astype(dtype: Dtype): MxArray;
  reshape(shape: readonly number[]): MxArray;
  transpose(...axes: number[]): MxArray;
  index(...at: readonly Slice[]): MxArray;
  /** Overwrites a region in place; a null position replaces the whole array. */
  indexPut_(at: null | readonly Slice[], value: MxArray): void;
  tolist(): unknown;
}

export interface Slice {
  readonly start: number | null;
  readonly stop: number | null;
}

export interface Device {
  readonly type: unknown;
}

/** A queue of operations with a thread of its own. */
export interface Stream {
  toString(): string;
}

export interface MlxFast {
  rmsNorm(x: MxArray, weight: MxArray, eps: number): MxArray;
  /** 0.0.7 takes one integer offset and no frequencies. */
  rope(x: MxArray, dims: number, traditional: boolean, base: number, scale: number, offset: number): MxArray;
  /** 0.0.7 takes additive masks only and ignores the string; 0.4 understands both. */
  scaledDotProductAttention(
    q: MxArray,
    k: MxArray,
    v: MxArray,
    scale: number,
    mask?: MxArray | 'causal',
  ): MxArray;
}

/** Bytes of a GPU's memory. */
export interface MlxMemory {
  getActiveMemory(): number;
  /** Of what was active. */
  getPeakMemory(): number;
  getCacheMemory(): number;
  /** Above 2 GB too, unlike setMemoryLimit. */
  setCacheLimit(bytes: number): unknown;
  clearCache(): unknown;
  /** 0.4 only: how much of what is in use the system may not take back. */
  setWiredLimit?(bytes: number): unknown;
}

/** 0.0.7 has the functions for memory here, 0.4 on the core. */
export interface MlxMetal extends Partial<MlxMemory> {
  isAvailable(): boolean;
  /** Throws where there is no Metal. */
  deviceInfo?(): Readonly<Record<string, unknown>>;
}

/** Packed weights, and how a product reads them. */
type Packed = [w: MxArray, scales: MxArray, biases: MxArray];
type Packing = [transpose: boolean, groupSize: number, bits: number];
/** Of rows with packed weights, each with those of its own index. */
type GatheredProduct = [x: MxArray, ...Packed, lhsIndices: null, rhsIndices: MxArray, ...Packing];

/** Value by value, of one array or of two that broadcast; and the matrix product. */
type Unary = Record<'cos' | 'exp' | 'sigmoid' | 'sin' | 'tanh', (a: MxArray) => MxArray>;
type Binary = Record<
  | 'bitwiseAnd'
  | 'bitwiseOr'
  | 'equal'
  | 'floorDivide'
  | 'leftShift'
  | 'less'
  | 'lessEqual'
  | 'logicalAnd'
  | 'logicalOr'
  | 'matmul'
  | 'rightShift'
  | 'subtract',
  (a: MxArray, b: MxArray) => MxArray
>;

export interface MlxCore extends Partial<MlxMemory>, Unary, Binary {
  readonly array: { new (value: unknown, dtype?: Dtype): MxArray; readonly prototype: MxArray };
  readonly Slice: new (start?: number | null, stop?: number | null) => Slice;
  readonly float32: Dtype;
  readonly float16: Dtype;
  readonly bfloat16: Dtype;
  readonly int32: Dtype;
  readonly uint32: Dtype;
  readonly cpu: Device;
  readonly gpu: Device;
  readonly metal: MlxMetal;
  readonly fast: MlxFast;
  /** A function that traces `fn` once per shape of its arguments, arrays all of them, and repeats what it did. */
  compile?<Inputs extends MxArray[], Outputs extends MxArray[]>(
    fn: (...inputs: Inputs) => Outputs,
  ): (...inputs: Inputs) => Outputs;
  enableCompile?(): void;
  disableCompile?(): void;
  setDefaultDevice(device: Device): void;
  newStream(device: Device): Stream;
  defaultStream(device: Device): Stream;
  setDefaultStream(stream: Stream): void;
  load(path: string, format: 'safetensors'): Record<string, MxArray>;
  eval(this: void, ...arrays: MxArray[]): void;
  /** Undefined in 0.0.7, a promise in 0.4. */
  asyncEval(this: void, ...arrays: MxArray[]): Promise<void> | undefined;
  zeros(shape: readonly number[], dtype: Dtype): MxArray;
  arange(start: number, stop: number, step: number, dtype: Dtype): MxArray;
  /** A number takes the type of the other array, unless that holds integers. */
  add(a: MxArray, b: MxArray | number): MxArray;
  multiply(a: MxArray, b: MxArray | number): MxArray;
  all(a: MxArray): MxArray;
  cumsum(a: MxArray, axis: number): MxArray;
  logaddexp(a: MxArray, b: MxArray | number): MxArray;
  softmax(a: MxArray, axis: number, precise: boolean): MxArray;
  where(condition: MxArray, x: MxArray, y: MxArray): MxArray;
  concatenate(arrays: readonly MxArray[], axis: number): MxArray;
  take(a: MxArray, indices: MxArray, axis: number): MxArray;
  argmax(a: MxArray, axis: number): MxArray;
  max(a: MxArray, axis: number, keepdims: boolean): MxArray;
  logsumexp(a: MxArray, axis: number, keepdims: boolean): MxArray;
  quantize(w: MxArray, groupSize: number, bits: number): MxArray[];
  dequantize(...packed: [...Packed, groupSize: number, bits: number]): MxArray;
  quantizedMatmul(...product: [x: MxArray, ...Packed, ...Packing]): MxArray;
  argsort(a: MxArray, axis: number): MxArray;
  argpartition(a: MxArray, kth: number, axis: number): MxArray;
  takeAlongAxis(a: MxArray, indices: MxArray, axis: number): MxArray;
  /** 0.4 has it as gatherMM. */
  blockSparseMM(a: MxArray, b: MxArray, lhsIndices: null, rhsIndices: MxArray): MxArray;
  gatherMM?(a: MxArray, b: MxArray, lhsIndices: null, rhsIndices: MxArray, sorted: boolean): MxArray;
  /** 0.4 has it as gatherQMM. */
  blockSparseQMM(...product: GatheredProduct): MxArray;
  gatherQMM?(...product: [...GatheredProduct, sorted: boolean]): MxArray;
  /** 0.4 only: frees arrays at once; 0.0.7 has no such function (see memory.ts). */
  dispose?(...arrays: MxArray[]): void;
}
