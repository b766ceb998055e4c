// The networks whose steps are timed, each compared with a dense one that reads as many weights per token.
// Sizes are small enough for a minute on a laptop, and large enough that weights do not stay in its caches.
import { ATTENTION_EVERY, networksOf } from './networks';
import type { CheckpointPlan } from './randomCheckpoint';

export interface Family {
  readonly name: string;
  /** What it consists of, in a few words. */
  readonly size: string;
  readonly plan: CheckpointPlan;
}

const [HIDDEN, LAYERS] = [512, 8];
const [EXPERTS, VISITED, EXPERT_WIDTH] = [32, 4, 256];
const DENSE_WIDTH = VISITED * EXPERT_WIDTH;
const [DELTA_VALUES, DELTA_DIM] = [8, 64];

const plans = networksOf({
  layers: LAYERS,
  hidden: HIDDEN,
  vocabulary: 4096,
  heads: 8,
  groups: 4,
  headDim: 64,
  denseWidth: DENSE_WIDTH,
  experts: EXPERTS,
  visited: VISITED,
  expertWidth: EXPERT_WIDTH,
  deltaKeys: 4,
  deltaValues: DELTA_VALUES,
  deltaDim: DELTA_DIM,
});

/** What all others are compared with. */
export const DENSE: Family = {
  name: 'dense',
  size: `${String(LAYERS)} layers of ${String(HIDDEN)}, MLPs of ${String(DENSE_WIDTH)}`,
  plan: plans.dense,
};

export const FAMILIES: readonly Family[] = [
  {
    name: 'experts',
    size: `${String(LAYERS)} layers of ${String(HIDDEN)}, ${String(VISITED)} of ${String(EXPERTS)} experts of ${String(EXPERT_WIDTH)}`,
    plan: plans.mixture,
  },
  {
    name: 'hybrid',
    size: `${String(LAYERS)} layers of ${String(HIDDEN)}, MLPs of ${String(DENSE_WIDTH)}, attention in every ${String(ATTENTION_EVERY)}th, else ${String(DELTA_VALUES)} states of ${String(DELTA_DIM)} x ${String(DELTA_DIM)}`,
    plan: plans.hybrid,
  },
];
