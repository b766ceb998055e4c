// The family goldens of `flashline doctor`, one for each family of targets, from the fixtures: the same networks, four times as
// wide, as kernels for packed weights need that, with made-up weights that are as large as those of the fixtures.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FamilyGolden, NetworkPlan, TensorPlan } from '../../server/doctor/goldens';
import { writePlannedCheckpoint } from '../../server/doctor/plannedCheckpoint';
import { readText, SINGLE_ROWS } from '../../server/doctor/readText';
import { nearTieGap } from '../../server/rules/nearTieGap';
import { selectDevice } from '../../server/models/device';
import { loadTarget } from '../../server/models/registry';
import type { TargetModel } from '../../server/models/target';
import { Rng } from '../rng';
import { safetensors } from './safetensors';

const FIXTURES = 'test/fixtures/targets';
const WIDER = 4;
const TEXT_TOKENS = 64;
/** No token of a golden is so close to another one that float32 could decide otherwise. */
const LEAST_GAP = 8 * nearTieGap('float32');
/** Of tokens: a network that always says the same would hide errors. */
const LEAST_KINDS = 12;
const MOST_TEXTS = 200;
const KERNEL = 'conv1d.weight';
/**
 * Means and deviations of what makes much of little, so that rounding stays small. Another expert is no error and would
 * change everything: routers choose clearly (Gemma's divides by the root of the width), and experts add little. The norm
 * after a gated delta rule divides by what is recalled, which may be next to nothing. Gemma 4 leaves it to a norm how long
 * queries are.
 */
const CALM: readonly (readonly [tensor: RegExp, mean: number, deviation: number])[] = [
  [/mlp\.gate\.weight$/, 0, 0.25],
  [/router\.proj\.weight$/, 0, 4],
  [/switch_\w+\.down_proj\.weight$/, 0, 0.01],
  [/post_feedforward_layernorm_2\.weight$/, 0.1, 0.01],
  [/linear_attn\.norm\.weight$/, 0.1, 0.01],
  [/^gemma4.*q_norm\.weight$/, 0.12, 0.01],
];

const WIDTHS = new Set([
  'hidden_size',
  'intermediate_size',
  'moe_intermediate_size',
  'shared_expert_intermediate_size',
  'head_dim',
  'linear_key_head_dim',
  'linear_value_head_dim',
  'hidden_size_per_layer_input',
  'query_pre_attn_scalar',
]);
/** Of tokens, experts or heads: as many as before. */
const COUNTED_ROWS =
  /(embed_tokens|embed_tokens_per_layer|lm_head|router\.proj|mlp\.gate|shared_expert_gate|in_proj_(a|b|ba)|switch_(mlp|glu)\.\w+)\.weight$/;
const COUNTED = /(layer_scalar|A_log|dt_bias|per_expert_scale)$/;

/** The plan of the network with this name, from a folder of test/fixtures/targets. */
export function networkPlan(name: string): NetworkPlan {
  const config = JSON.parse(readFileSync(join(FIXTURES, name, 'config.json'), 'utf8')) as object;
  const tensors = Object.entries(stackedExperts(fixtureTensors(join(FIXTURES, name, 'model.safetensors'))));
  return {
    name,
    config: widerConfig(config) as NetworkPlan['config'],
    tensors: Object.fromEntries(tensors.map(([tensor, plan]) => [tensor, widerTensor(name, tensor, plan)])),
  };
}

/** With a text that the network has no doubts about. Computes on the CPU. */
export async function familyGolden(name: string): Promise<FamilyGolden> {
  const plan = networkPlan(name);
  const folder = mkdtempSync(join(tmpdir(), 'flashline-goldens-'));
  try {
    writePlannedCheckpoint(folder, plan);
    const target = await loadTarget(folder, selectDevice('cpu'));
    try {
      return { ...plan, ...(await clearText(target)) };
    } finally {
      target.dispose();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function clearText(target: TargetModel): Promise<Pick<FamilyGolden, 'text' | 'best'>> {
  for (let seed = 1; seed <= MOST_TEXTS; seed++) {
    const rng = new Rng(seed);
    const text = Array.from({ length: TEXT_TOKENS }, () => rng.whole(3, target.config.vocabSize - 1));
    const rows = await readText(target, text, SINGLE_ROWS);
    if (!(Math.min(...rows.map(gapOf)) >= LEAST_GAP)) continue;
    const logits = rows.map((row) => Math.max(...row));
    const tokens = rows.map((row, i) => row.indexOf(logits[i] ?? NaN));
    if (new Set(tokens).size < LEAST_KINDS) continue;
    return { text, best: { tokens, logits: logits.map((logit) => Number(logit.toFixed(4))) } };
  }
  throw new Error(`Expected a text without near ties among ${String(MOST_TEXTS)}, got none`);
}

function gapOf(row: readonly number[]): number {
  const [best = NaN, second = NaN] = [...row].sort((a, b) => b - a);
  return best - second;
}

function widerConfig(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, own]) => [
      field,
      typeof own === 'number' && WIDTHS.has(field) ? WIDER * own : widerConfig(own),
    ]),
  );
}

function widerTensor(network: string, name: string, [shape, mean, deviation]: TensorPlan): TensorPlan {
  const isKernel = name.endsWith(KERNEL);
  const wider = shape.map((size, axis) => {
    if (COUNTED.test(name) || (axis > 0 && isKernel)) return size;
    return axis === 0 && COUNTED_ROWS.test(name) ? size : WIDER * size;
  });
  const [, ...calm] = CALM.find(([tensor]) => tensor.test(`${network} ${name}`)) ?? [];
  if (calm.length > 0) return [wider, calm[0] ?? 0, calm[1] ?? 0];
  // Sums of four times as many products stay as large.
  const isMatrix = shape.length > 1 && !isKernel;
  return isMatrix ? [wider, 0, deviation / Math.sqrt(WIDER)] : [wider, mean, deviation];
}

/** Experts as mlx-community packs them: one tensor for all. */
function stackedExperts(plans: Readonly<Record<string, TensorPlan>>): Record<string, TensorPlan> {
  const stacked: Record<string, TensorPlan> = {};
  for (const [name, plan] of Object.entries(plans)) {
    const [[count = 0, rows = 0, inputs = 0], ...stats] = plan;
    const [, path, expert, single] = /^(.*\.mlp)\.experts\.(\d+)\.(\w+)\.weight$/.exec(name) ?? [];
    const [, glu, joined] = /^(.*\.experts)\.(gate_up|down)_proj$/.exec(name) ?? [];
    if (expert !== undefined)
      // Here the shape has no number of experts in front; the last expert tells it.
      stacked[`${path ?? ''}.switch_mlp.${single ?? ''}.weight`] = [
        [Number(expert) + 1, count, rows],
        ...stats,
      ];
    else if (joined === 'gate_up')
      for (const half of ['gate', 'up'])
        stacked[`${glu ?? ''}.switch_glu.${half}_proj.weight`] = [[count, rows / 2, inputs], ...stats];
    else if (joined === 'down') stacked[`${glu ?? ''}.switch_glu.down_proj.weight`] = plan;
    else stacked[name] = plan;
  }
  return stacked;
}

/** Shape, mean and deviation of the tensors in a file of float32, to two places. */
function fixtureTensors(file: string): Record<string, TensorPlan> {
  return Object.fromEntries(
    Object.entries(safetensors(file)).map(([name, tensor]) => {
      const values = tensor.values((bytes, at) => bytes.readFloatLE(at));
      const mean = meanOf(values);
      const deviation = Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
      return [name, [tensor.shape, rounded(mean), rounded(deviation)]];
    }),
  );
}

/** To two places, and never -0, which JSON does not know. */
function rounded(value: number): number {
  return Math.round(100 * value) / 100 + 0;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
