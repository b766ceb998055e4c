// Types of the part of node-mlx that Flashline uses, written by hand: the package's own typings do not compile under
// strict settings and are wrong in places.

export interface Dtype {
  readonly size: number;
}

/** A lazily evaluated n-dimensional array. Only memory.ts frees it. */
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

/** A queue of operations, which runs on its own thread. */
export interface Stream {
  toString(): string;
}

export interface MlxFast {
  rmsNorm(x: MxArray, weight: MxArray, eps: number): MxArray;
  /** Takes one integer offset and no frequencies. */
  rope(x: MxArray, dims: number, traditional: boolean, base: number, scale: number, offset: number): MxArray;
  /** Takes additive masks only. */
  scaledDotProductAttention(q: MxArray, k: MxArray, v: MxArray, scale: number, mask?: MxArray): MxArray;
}

/** Memory of a GPU, in bytes. */
export interface MlxMemory {
  getActiveMemory(): number;
  /** Returns the peak of the active memory. */
  getPeakMemory(): number;
  getCacheMemory(): number;
  /** Works above 2 GB too, unlike setMemoryLimit. */
  setCacheLimit(bytes: number): unknown;
  clearCache(): unknown;
}

export interface MlxMetal extends MlxMemory {
  isAvailable(): boolean;
  /** Throws without Metal. */
  deviceInfo?(): Readonly<Record<string, unknown>>;
}

type Packed = [w: MxArray, scales: MxArray, biases: MxArray];
type Packing = [transpose: boolean, groupSize: number, bits: number];
/** Arguments of a product of rows with packed matrices; `rhsIndices` has the index of the matrix for each row. */
type GatheredProduct = [x: MxArray, ...Packed, lhsIndices: null, rhsIndices: MxArray, ...Packing];

/** Elementwise functions of one array, or of two that broadcast; and the matrix product. */
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

export interface MlxCore extends Unary, Binary {
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
  /** Returns a function that traces `fn` once per combination of argument shapes, and repeats the trace. */
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
  /** Begins to evaluate; `eval` and `tolist` wait for the result. */
  asyncEval(this: void, ...arrays: MxArray[]): void;
  zeros(shape: readonly number[], dtype: Dtype): MxArray;
  arange(start: number, stop: number, step: number, dtype: Dtype): MxArray;
  /** Adds two arrays, or a number to an array of floats, whose type it takes. */
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
  blockSparseMM(a: MxArray, b: MxArray, lhsIndices: null, rhsIndices: MxArray): MxArray;
  blockSparseQMM(...product: GatheredProduct): MxArray;
}
