// Times matrix products of single layers by rows and bits, which determine the costs of verifying drafts and of prefill
// on this machine. Uses made-up weights, since only shapes count.
import { Experts, Linear, type Factor } from '../models/mlx/linear';
import { repacked } from '../models/checkpoint/repacking';
import { selectDevice, type Device, type DeviceName } from '../models/mlx/device';
import type { Dtype } from '../models/mlx/addonTypes';
import { dispose, keep, scope } from '../models/mlx/memory';
import { evaluate } from '../models/mlx/evaluation';
import * as mx from '../models/mlx/ops';

/** Costs of the matrix products of one layer. */
export interface LayerCosts {
  readonly layer: string;
  /** Bits per weight; 16 means not packed, which is float32 on a CPU. */
  readonly bits: number;
  /** Milliseconds by rows; rows for which no time was left are absent. */
  readonly ms: Readonly<Record<string, number>>;
}

export interface Kernels {
  readonly layers: readonly LayerCosts[];
  /** Milliseconds of the experts of one layer, by rows; undefined if no mixture was timed. */
  readonly mixture: Readonly<Record<string, number>> | undefined;
}

interface LayerShape {
  readonly name: string;
  /** Widths of the matrices of the layer. */
  readonly products: readonly (readonly [inputs: number, outputs: number])[];
}

/** Shape of the experts of a layer. */
export interface MixtureShape {
  readonly experts: number;
  readonly expertsPerRow: number;
  /** Width of the hidden states. */
  readonly hidden: number;
  /** Width of an expert. */
  readonly width: number;
}

export interface KernelPlan {
  readonly layers: readonly LayerShape[];
  readonly mixture: MixtureShape;
  readonly rows: readonly number[];
  readonly bits: readonly number[];
  /** Milliseconds after which no further measurement begins. */
  readonly budgetMs: number;
}

/** Widths of a decoder layer: of its hidden states, all query heads, all key heads, and its MLP. */
type LayerWidths = Readonly<Record<'hidden' | 'heads' | 'keyHeads' | 'width', number>>;

function layer(name: string, { hidden, heads, keyHeads, width }: LayerWidths): LayerShape {
  const attention = [hidden, heads] as const;
  const keys = [hidden, keyHeads] as const;
  const gate = [hidden, width] as const;
  return { name, products: [attention, keys, keys, [heads, hidden], gate, gate, [width, hidden]] };
}

/** Default plan. The cost of MLX 0.13 on Metal jumps at 2, 6, 16, 17 and 33 rows: times both sides of each jump. */
const PLAN: KernelPlan = {
  layers: [
    layer('built-in', { hidden: 512, heads: 512, keyHeads: 256, width: 1536 }),
    layer('4B', { hidden: 2560, heads: 4096, keyHeads: 1024, width: 9728 }),
  ],
  mixture: { experts: 128, expertsPerRow: 8, hidden: 2048, width: 768 },
  rows: [1, 2, 5, 6, 8, 15, 16, 17, 32, 33],
  bits: [4, 8, 16],
  budgetMs: 15_000,
};
/** Rows of a prefill pass. */
const PROMPT_ROWS = 256;
/** Runs per measurement, of which the fastest counts. */
const RUNS = 3;
/** Target time of a run. Products are repeated to reach it, so that waiting for the device is negligible. */
const RUN_MS = 20;
const MAX_REPEATS = 32;
/** Bits per weight of the experts. */
const MIXTURE_BITS = 4;

/** Times layers and a mixture. On a CPU, times only dense layers, since models never multiply packed weights there. */
export async function timeKernels(name: DeviceName, plan: Partial<KernelPlan> = {}): Promise<Kernels> {
  const device = selectDevice(name);
  const { layers, mixture, rows, bits, budgetMs } = {
    ...PLAN,
    ...(name === 'cpu' && { bits: [16] }),
    ...plan,
  };
  const endsAt = performance.now() + budgetMs;
  const tasks = layers.flatMap((shape) => bits.map((layerBits) => ({ shape, bits: layerBits })));
  const hasMixture = bits.includes(MIXTURE_BITS);
  // Each task gets an equal part of the remaining time, so that a slow machine measures a little of everything.
  const endOfTask = (tasksLeft: number): number => {
    const now = performance.now();
    return now + (endsAt - now) / tasksLeft;
  };
  const costs: LayerCosts[] = [];
  for (const [i, task] of tasks.entries())
    costs.push(await timeLayer(task, rows, device, endOfTask(tasks.length - i + Number(hasMixture))));
  return {
    layers: costs,
    mixture: hasMixture ? await timeMixture(mixture, device, endOfTask(1)) : undefined,
  };
}

async function timeLayer(
  { shape: { name, products }, bits }: { readonly shape: LayerShape; readonly bits: number },
  rows: readonly number[],
  device: Device,
  endsAt: number,
): Promise<LayerCosts> {
  const linears = products.map(([inputs, outputs]) => new Linear(weightsOf(outputs, inputs, bits, device)));
  await evaluate(linears.map(({ weights }) => arraysOf(weights)));
  const ms: Record<string, number> = {};
  for (const count of rows) {
    if (performance.now() >= endsAt) break;
    const inputs = products.map(([width]) => inputOf([1, count, width], device));
    ms[count] = await timeOf(() => inputs.map((x, i) => linears[i]?.forward(x) ?? x));
    dispose(inputs);
  }
  dispose(linears.map(({ weights }) => arraysOf(weights)));
  return { layer: name, bits, ms };
}

/** Times the experts of one layer. Rows are spread over the experts and sorted by expert, as in a model. */
async function timeMixture(
  { experts, expertsPerRow, hidden, width }: MixtureShape,
  device: Device,
  endsAt: number,
): Promise<Record<string, number>> {
  const stack = (outputs: number, inputs: number) => new Experts(stacked(experts, outputs, inputs, device));
  const gate = stack(width, hidden);
  const up = stack(width, hidden);
  const down = stack(hidden, width);
  await evaluate([gate, up, down].map(({ weights }) => arraysOf(weights)));
  const ms: Record<string, number> = {};
  for (const count of [1, PROMPT_ROWS]) {
    if (performance.now() >= endsAt) break;
    const choices = Array.from({ length: count * expertsPerRow }, (_, i) => (i * 37) % experts);
    const indices = keep(
      mx.array(
        choices.sort((a, b) => a - b),
        mx.int32,
      ),
    );
    const x = inputOf([count * expertsPerRow, 1, hidden], device);
    ms[count] = await timeOf(() => {
      const gated = mx.multiply(mx.silu(gate.forward(x, indices)), up.forward(x, indices));
      return [down.forward(gated, indices)];
    });
    dispose(x, indices);
  }
  dispose([gate, up, down].map(({ weights }) => arraysOf(weights)));
  return ms;
}

/** Returns the milliseconds to compute the graph of `build`: the fastest of several runs, after one to load kernels. */
async function timeOf(build: () => mx.MxArray[]): Promise<number> {
  const first = await timeOnce(build, 1);
  const repeats = Math.max(1, Math.min(MAX_REPEATS, Math.round(RUN_MS / first)));
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push((await timeOnce(build, repeats)) / repeats);
  return Math.min(...times);
}

async function timeOnce(build: () => mx.MxArray[], repeats: number): Promise<number> {
  const outputs = scope(() => Array.from({ length: repeats }, build).flat());
  const from = performance.now();
  await evaluate(outputs);
  const ms = performance.now() - from;
  dispose(outputs);
  return ms;
}

function weightsOf(outputs: number, inputs: number, bits: number, device: Device): Factor {
  return kept(() => {
    const dense = noise([outputs, inputs], device.dtype);
    const matrix = repacked({ dense }, bits, { ...device, keepsQuantised: true });
    return 'dense' in matrix ? { ...matrix, transposed: mx.transpose(matrix.dense, 1, 0) } : matrix;
  });
}

/** Returns the same packed matrix for each expert: 128 different ones would take gigabytes before packing. */
function stacked(experts: number, outputs: number, inputs: number, device: Device): Factor {
  return kept(() => {
    const dense = noise([outputs, inputs], device.dtype);
    const matrix = repacked({ dense }, MIXTURE_BITS, { ...device, keepsQuantised: true });
    if ('dense' in matrix) throw new TypeError('Expected a matrix that can be packed');
    const repeat = (array: mx.MxArray): mx.MxArray =>
      mx.concatenate(Array<mx.MxArray>(experts).fill(mx.reshape(array, 1, ...array.shape)), 0);
    const { weight, scales, biases } = matrix;
    return { ...matrix, weight: repeat(weight), scales: repeat(scales), biases: repeat(biases) };
  });
}

/** Keeps the arrays of a factor beyond the scope that created them. */
function kept(build: () => Factor): Factor {
  let factor: Factor | undefined;
  scope(() => {
    factor = build();
    return arraysOf(factor).map(keep);
  });
  if (factor === undefined) throw new TypeError('Expected a factor');
  return factor;
}

function inputOf(shape: readonly number[], { dtype }: Device): mx.MxArray {
  return keep(scope(() => noise(shape, dtype)));
}

/** Returns numbers that look random to the hardware. */
function noise(shape: readonly number[], dtype: Dtype): mx.MxArray {
  const size = shape.reduce((product, length) => product * length, 1);
  const angles = mx.astype(mx.arange(0, size), mx.float32);
  return mx.astype(mx.reshape(mx.sin(angles), ...shape), dtype);
}

function arraysOf(factor: Factor): mx.MxArray[] {
  if ('transposed' in factor) return [factor.dense, factor.transposed];
  return [factor.weight, factor.scales, factor.biases];
}
