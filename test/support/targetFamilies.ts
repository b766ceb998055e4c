// The tiny random targets that the reference implementation computed goldens for. Each is compared with its golden. Two
// families per kind of cache, and nightly all, also run the target contract and the test that speculation changes no
// output.
import * as at from './fixtures';
import { fullSize } from './fullSize';

export interface Rounding {
  /** Allowed difference of hidden states and logits, as a ratio of root mean squares. */
  readonly part: number;
  /** Allowed difference of single logits, whose largest are about 4. */
  readonly tie: number;
}

interface TargetFamily {
  readonly name: string;
  /** Folder with config.json, model.safetensors and golden.safetensors. */
  readonly directory: string;
  /** Allowed differences after rounding the weights to 8 bits, if larger than usual. */
  readonly rounding?: Rounding;
  /** Allowed difference of a logit with another order of sums, if larger than usual. */
  readonly noise?: number;
  /** Functions that rename the tensors as other tools publish them, by the name of the tool. */
  readonly spellings?: Readonly<Record<string, (name: string) => string>>;
  /** Paths of modules that are not rounded: a rounded router would send some rows to other experts. */
  readonly unrounded?: RegExp;
  /** Number of layers with their own cache; all by default. */
  readonly cachedLayerCount?: number;
}

const IMAGE_SPELLINGS = {
  'image models': (name: string) => name.replace(/^model\./, 'model.language_model.'),
  'image models of mlx-community': (name: string) => `language_model.${name}`,
};

export const TARGET_FAMILIES: readonly TargetFamily[] = [
  { name: 'untied Qwen3', directory: at.QWEN3 },
  { name: 'tied Qwen3 with YaRN', directory: at.QWEN3_YARN },
  { name: 'Qwen2', directory: at.QWEN2 },
  { name: 'Llama with llama3 scaling of positions', directory: at.LLAMA },
  { name: 'Mistral', directory: at.MISTRAL },
  {
    name: 'Ministral 3',
    directory: at.MINISTRAL3,
    // Its query vectors have large norms, so a small difference of positions shows.
    rounding: { part: 0.12, tie: 0.6 },
    spellings: {
      'newer image models': (name) =>
        name
          .replace('language_model.model.', 'model.language_model.')
          .replace('language_model.lm_head', 'lm_head'),
    },
  },
  { name: 'Gemma', directory: at.GEMMA },
  { name: 'Gemma 2', directory: at.GEMMA2 },
  { name: 'Gemma 3', directory: at.GEMMA3, spellings: IMAGE_SPELLINGS },
  // Gemma 4 does not scale its queries after their norm: moving the weights by 1e-7 moves logits by up to 2e-4.
  {
    name: 'Gemma 4',
    directory: at.GEMMA4,
    rounding: { part: 0.2, tie: 1 },
    noise: 5e-4,
    spellings: IMAGE_SPELLINGS,
  },
  {
    name: 'Gemma 4 with inputs per layer',
    directory: at.GEMMA4_E,
    rounding: { part: 0.25, tie: 2 },
    noise: 5e-4,
    spellings: IMAGE_SPELLINGS,
    cachedLayerCount: 4,
  },
  {
    name: 'Gemma 4 with experts',
    directory: at.GEMMA4_MOE,
    // Rounding sends most rows to other experts in some layer, so the output is a different text.
    rounding: { part: 0.8, tie: Infinity },
    noise: 5e-4,
    spellings: IMAGE_SPELLINGS,
    unrounded: /\.(router\.proj|experts\..*)$/,
  },
  // The norm after a gated delta rule amplifies small outputs: where a query recalls almost nothing, it amplifies
  // rounding.
  {
    name: 'Qwen3.5',
    directory: at.QWEN3_5,
    rounding: { part: 0.15, tie: 0.3 },
    spellings: IMAGE_SPELLINGS,
  },
  {
    name: 'Qwen3-Next',
    directory: at.QWEN3_NEXT,
    // The rows that differ most were also sent to other experts.
    rounding: { part: 0.25, tie: 1 },
    unrounded: /\.mlp\.gate$/,
  },
  { name: 'Qwen3 with experts', directory: at.QWEN3_MOE, unrounded: /\.mlp\.gate$/ },
  {
    name: 'Mellum 2',
    directory: at.MELLUM,
    spellings: { 'mlx-vlm': (name) => `language_model.${name}` },
    unrounded: /\.mlp\.gate$/,
  },
];

/**
 * Two families each with full attention, with windows (the second shares caches between layers) and with recurrent
 * states. Some have experts.
 */
const CONTRACTS = [at.QWEN3, at.QWEN3_MOE, at.GEMMA3, at.GEMMA4_E, at.QWEN3_5, at.QWEN3_NEXT];

export const CONTRACT_FAMILIES = TARGET_FAMILIES.filter(
  ({ directory }) => fullSize || CONTRACTS.includes(directory),
);
