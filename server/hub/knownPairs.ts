// The published pairs that load here, with facts from their repositories in 2026, and what each takes to download and
// to run at a given number of bits. Leaves out DSpark drafters and those of families without a target here. Knows
// neither files nor the network.
import { bytesOfWeights, type ModelSizes } from './modelSizes';

/** The numbers come from its config.json. */
interface KnownModel {
  /** On Hugging Face, in bf16. */
  readonly repository: string;
  readonly parameters: number;
  /** Keys and values of one token in bf16, over all layers that keep them. */
  readonly cacheBytesPerToken: number;
}

/** What pairs of one family have in common. */
interface KnownFamily {
  /** `model_type` of the targets, as the registry knows it. */
  readonly modelType: string;
  /** In a mixture of experts, those that a token passes through, as published. */
  readonly activeParameters?: number;
  readonly licenses: { readonly target: string; readonly drafter: string };
  /** Positions that the target was trained for. */
  readonly contextTokens: number;
  /** Rows of a drafter's block: the anchor and the draft tokens. */
  readonly blockSize: number;
  /** fim if the target's maker documents it. The prompt format in use is still probed at the first load. */
  readonly infill: 'fim' | 'chat';
  /** never: the target does not think. off: its drafter was trained on answers without thinking. */
  readonly thinking: 'never' | 'off' | 'either';
}

export interface KnownPair extends KnownFamily {
  readonly name: string;
  /** The text model; vision and further prediction heads are not loaded. */
  readonly target: KnownModel;
  readonly drafter: KnownModel;
  /** The name of the quantised targets at mlx-community, if it differs. */
  readonly mlxName?: string;
}

/** 16 means weights that are not quantised. */
export type Bits = 4 | 8 | 16;

/** A known pair with the bits of its target chosen. */
export interface PairVariant {
  readonly pair: KnownPair;
  readonly bits: Bits;
  /** The repository of the target at that many bits. */
  readonly target: string;
  readonly drafter: string;
  /** Both, the target first. */
  readonly repositories: readonly string[];
  readonly sizes: readonly [ModelSizes, ModelSizes];
}

/** As people type it, such as qwen3-4b. */
export function pairId({ name }: KnownPair): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

export function pairById(id: string): KnownPair | undefined {
  return knownPairs.find((pair) => pairId(pair) === id.toLowerCase());
}

/** With the fewest bits first. */
export function variantsOf(pair: KnownPair): PairVariant[] {
  const { target, drafter, activeParameters } = pair;
  const { mlxName = target.repository.replace(/^.*\//, '') } = pair;
  return ([4, 8, 16] as const).map((bits) => {
    const name = bits === 16 ? target.repository : `mlx-community/${mlxName}-${String(bits)}bit`;
    return {
      pair,
      bits,
      target: name,
      drafter: drafter.repository,
      repositories: [name, drafter.repository],
      sizes: [sizesOf(target, bits, activeParameters), sizesOf(drafter, 16)],
    };
  });
}

function sizesOf(model: KnownModel, bits: Bits, activeParameters = model.parameters): ModelSizes {
  const { parameters, cacheBytesPerToken } = model;
  const weightBytes = bytesOfWeights(parameters, bits);
  return { parameters, activeParameters, weightBytes, cacheBytesPerToken };
}

function model(repository: string, parameters: number, cacheBytesPerToken: number): KnownModel {
  return { repository, parameters, cacheBytesPerToken };
}

const QWEN3: KnownFamily = {
  modelType: 'qwen3',
  licenses: { target: 'Apache-2.0', drafter: 'MIT' },
  contextTokens: 40_960,
  blockSize: 16,
  infill: 'chat',
  thinking: 'off',
};
const QWEN3_CODER: KnownFamily = {
  ...QWEN3,
  modelType: 'qwen3_moe',
  activeParameters: 3_300_000_000,
  contextTokens: 262_144,
  infill: 'fim',
  thinking: 'never',
};
const QWEN3_NEXT: KnownFamily = {
  ...QWEN3_CODER,
  modelType: 'qwen3_next',
  activeParameters: 3_000_000_000,
  infill: 'chat',
};
const QWEN35: KnownFamily = { ...QWEN3, modelType: 'qwen3_5', contextTokens: 262_144, thinking: 'either' };
const QWEN35_MOE: KnownFamily = { ...QWEN35, modelType: 'qwen3_5_moe', activeParameters: 3_000_000_000 };
const LLAMA: KnownFamily = {
  modelType: 'llama',
  licenses: { target: 'Llama 3.1 Community License', drafter: 'MIT' },
  contextTokens: 131_072,
  blockSize: 10,
  infill: 'chat',
  thinking: 'never',
};

/** The pair for infilling first, the others by size. */
export const knownPairs: readonly KnownPair[] = [
  {
    name: 'Qwen3-Coder 30B-A3B',
    ...QWEN3_CODER,
    target: model('Qwen/Qwen3-Coder-30B-A3B-Instruct', 30_532_122_624, 98_304),
    drafter: model('z-lab/Qwen3-Coder-30B-A3B-DFlash', 473_995_264, 16_384),
  },
  {
    name: 'Qwen3 4B',
    ...QWEN3,
    target: model('Qwen/Qwen3-4B', 4_022_468_096, 147_456),
    drafter: model('z-lab/Qwen3-4B-DFlash-b16', 537_427_200, 20_480),
  },
  {
    name: 'Qwen3.5 4B',
    ...QWEN35,
    target: model('Qwen/Qwen3.5-4B', 4_205_751_296, 32_768),
    drafter: model('z-lab/Qwen3.5-4B-DFlash', 537_427_200, 20_480),
  },
  {
    name: 'Llama 3.1 8B Instruct',
    ...LLAMA,
    target: model('meta-llama/Llama-3.1-8B-Instruct', 8_030_261_248, 131_072),
    mlxName: 'Meta-Llama-3.1-8B-Instruct',
    drafter: model('z-lab/LLaMA3.1-8B-Instruct-DFlash-UltraChat', 1_048_626_432, 20_480),
  },
  {
    name: 'Qwen3 8B',
    ...QWEN3,
    target: model('Qwen/Qwen3-8B', 8_190_735_360, 147_456),
    drafter: model('z-lab/Qwen3-8B-DFlash-b16', 1_048_626_432, 20_480),
  },
  {
    name: 'Qwen3.5 9B',
    ...QWEN35,
    target: model('Qwen/Qwen3.5-9B', 8_953_803_264, 32_768),
    drafter: model('z-lab/Qwen3.5-9B-DFlash', 1_048_626_432, 20_480),
  },
  {
    name: 'Qwen3.5 27B',
    ...QWEN35,
    target: model('Qwen/Qwen3.5-27B', 26_895_998_464, 65_536),
    drafter: model('z-lab/Qwen3.5-27B-DFlash', 1_730_213_120, 20_480),
  },
  {
    name: 'Qwen3.6 27B',
    ...QWEN35,
    target: model('Qwen/Qwen3.6-27B', 26_895_998_464, 65_536),
    drafter: model('z-lab/Qwen3.6-27B-DFlash', 1_730_213_120, 20_480),
  },
  {
    name: 'Qwen3.5 35B-A3B',
    ...QWEN35_MOE,
    target: model('Qwen/Qwen3.5-35B-A3B', 34_660_610_688, 20_480),
    drafter: model('z-lab/Qwen3.5-35B-A3B-DFlash', 473_995_264, 16_384),
  },
  {
    name: 'Qwen3.6 35B-A3B',
    ...QWEN35_MOE,
    target: model('Qwen/Qwen3.6-35B-A3B', 34_660_610_688, 20_480),
    drafter: model('z-lab/Qwen3.6-35B-A3B-DFlash', 473_995_264, 16_384),
  },
  {
    name: 'Qwen3-Coder-Next',
    ...QWEN3_NEXT,
    target: model('Qwen/Qwen3-Coder-Next', 79_674_391_296, 24_576),
    drafter: model('z-lab/Qwen3-Coder-Next-DFlash', 473_995_264, 16_384),
  },
];
