// Published pairs that load here, and targets for infilling or next edits without a drafter yet, with facts from their
// repositories as of 2026 and their sizes at each number of bits. Omits drafters of target families that do not load
// here. Knows neither files nor the network.
import { bytesOfWeights, type ModelSizes } from '../models/checkpoint/modelSizes';

/** Facts that the targets of one family share. */
interface KnownFamily {
  /** `model_type` of the targets, as the registry knows it. */
  readonly modelType: string;
  /** Parameters active per token in a mixture of experts, as published. */
  readonly activeParameters?: number;
  /** Licence of the target. */
  readonly license: string;
  /** Context length that the target was trained for. */
  readonly contextTokens: number;
  /** Prompt form for infilling: fim only if the target's maker documents it. */
  readonly infill: 'fim' | 'chat';
  /** Set for targets trained to continue text only, not to follow instructions. */
  readonly isBase?: true;
  /** Thinking mode. never: the target does not think. off: its drafters were trained on answers without thinking. */
  readonly thinking: 'never' | 'off' | 'either';
}

/** A published model, with numbers from its config.json. */
interface KnownModel {
  /** Repository on Hugging Face, in bf16. */
  readonly repository: string;
  readonly parameters: number;
  readonly cacheBytesPerToken: ModelSizes['cacheBytesPerToken'];
  readonly window?: ModelSizes['window'];
}

export interface KnownDrafter extends KnownModel {
  /** Kind of drafter. DeepSeek's DSpark drafters include copies of the target's token table and output head. */
  readonly kind: 'DFlash' | 'DFlash2' | 'DSpark';
  /** Licence; undefined if the repository states none, or only "other". */
  readonly license?: string;
  /** Rows per block. In DFlash the first row is the anchor; in DSpark each row yields a draft token. */
  readonly blockSize: number;
}

export interface KnownPair extends KnownFamily {
  readonly name: string;
  /** Target model, text only: vision and further prediction heads are not loaded. */
  readonly target: KnownModel;
  /** Drafters. The first is the default until another measures faster. If empty, drafts come from the text itself. */
  readonly drafters: readonly KnownDrafter[];
  /** Set for models trained to suggest the next edit, for `flashline.nextEditModel`; these are never recommended. */
  readonly isNextEdit?: true;
  /** Set if the licence of the target allows research only; such a target is not recommended. */
  readonly researchOnly?: true;
  /** Name of the quantised targets at mlx-community, if different. */
  readonly mlxName?: string;
  /** Bits of the quantised targets at mlx-community; 4 and 8 by default. */
  readonly mlxBits?: readonly Bits[];
}

/** Bits per weight; 16 means not quantised. */
export type Bits = 4 | 8 | 16;

/** A known pair with the bits of its target and one of its drafters, if any. */
export interface PairVariant {
  readonly pair: KnownPair;
  readonly bits: Bits;
  readonly knownDrafter: KnownDrafter | undefined;
  /** Repository of the target at `bits`. */
  readonly target: string;
  /** Repository of the drafter, or `none`. */
  readonly drafter: string;
  /** Repositories, target first. */
  readonly repositories: readonly string[];
  readonly sizes: readonly [ModelSizes, ...ModelSizes[]];
}

/** Returns the name that users type, such as qwen3-4b. */
export function pairId({ name }: KnownPair): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

/** Finds a drafter by its kind, ignoring case, or by its repository. */
export function drafterOf({ drafters }: KnownPair, name: string): KnownDrafter | undefined {
  return drafters.find(
    ({ kind, repository }) => kind.toLowerCase() === name.toLowerCase() || repository === name,
  );
}

/** Returns a name by which `drafterOf` finds this drafter: its kind, or its repository if the kind finds another. */
export function drafterName(pair: KnownPair, drafter: KnownDrafter): string {
  const kind = drafter.kind.toLowerCase();
  return drafterOf(pair, kind) === drafter ? kind : drafter.repository;
}

/** Returns all variants: those with the default drafter first, each drafter's in ascending bits. */
export function variantsOf(pair: KnownPair): PairVariant[] {
  const { target, drafters, activeParameters, mlxBits = [4, 8] } = pair;
  const { mlxName = target.repository.replace(/^.*\//, '') } = pair;
  const nameAt = (bits: Bits): string =>
    bits === 16 ? target.repository : `mlx-community/${mlxName}-${String(bits)}bit`;
  return (drafters.length > 0 ? drafters : [undefined]).flatMap((knownDrafter) =>
    [...mlxBits, 16 as const].map((bits) => ({
      pair,
      bits,
      knownDrafter,
      target: nameAt(bits),
      drafter: knownDrafter?.repository ?? 'none',
      repositories: [nameAt(bits), ...(knownDrafter ? [knownDrafter.repository] : [])],
      sizes: [sizesOf(target, bits, activeParameters), ...(knownDrafter ? [sizesOf(knownDrafter, 16)] : [])],
    })),
  );
}

/** Returns the sizes of a model with `bits` per weight. */
function sizesOf(model: KnownModel, bits: Bits, activeParameters = model.parameters): ModelSizes {
  const { parameters, cacheBytesPerToken, window } = model;
  const weightBytes = bytesOfWeights(parameters, bits);
  return { parameters, activeParameters, weightBytes, cacheBytesPerToken, window };
}

function model(repository: string, parameters: number, cacheBytesPerToken: number): KnownModel {
  return { repository, parameters, cacheBytesPerToken };
}

function dflash(name: string, parameters: number, cacheBytesPerToken: number, blockSize = 16): KnownDrafter {
  const published = model(`z-lab/${name}`, parameters, cacheBytesPerToken);
  return { ...published, kind: 'DFlash', license: 'MIT', blockSize };
}

/** Returns a DFlash2 drafter, whose layers all have a window. */
function dflash2(name: string, parameters: number, cacheBytesPerToken: number): KnownDrafter {
  const published = model(`incoai/${name}`, parameters, cacheBytesPerToken);
  return { ...published, window: { tokens: 2048, cacheBytesPerToken }, kind: 'DFlash2', blockSize: 8 };
}

/** Returns a DSpark drafter of DeepSeek. Without a model card, its parameters are counted from its config. */
function dspark(name: string, parameters: number, cacheBytesPerToken: number): KnownDrafter {
  const published = model(`deepseek-ai/dspark_${name}_block7`, parameters, cacheBytesPerToken);
  return { ...published, kind: 'DSpark', blockSize: 7 };
}

/** Returns a DSpark drafter that uses its target's token table and output head; DeepSeek's include copies of them. */
function sharingDSpark(repository: string, parameters: number, blockSize: number): KnownDrafter {
  return { ...model(repository, parameters, 20_480), kind: 'DSpark', blockSize };
}

/** Returns a Qwen pair. Most Qwen repositories are named like the model in them. */
// eslint-disable-next-line max-params -- a row of a table
function qwen(
  name: string,
  family: KnownFamily,
  parameters: number,
  cacheBytesPerToken: number,
  drafters: readonly KnownDrafter[] = [],
  repository = `Qwen/${name.replace(' ', '-')}`,
): KnownPair {
  return { name, ...family, target: model(repository, parameters, cacheBytesPerToken), drafters };
}

/** Base models, since Qwen documents the tokens for infilling for these. */
const QWEN25_CODER: KnownFamily = {
  modelType: 'qwen2',
  license: 'Apache-2.0',
  contextTokens: 32_768,
  infill: 'fim',
  isBase: true,
  thinking: 'never',
};
const QWEN3: KnownFamily = {
  modelType: 'qwen3',
  license: 'Apache-2.0',
  contextTokens: 40_960,
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
};
const QWEN35: KnownFamily = {
  ...QWEN3,
  modelType: 'qwen3_5',
  contextTokens: 262_144,
  thinking: 'either',
};
const QWEN35_MOE: KnownFamily = {
  ...QWEN35,
  modelType: 'qwen3_5_moe',
  activeParameters: 3_000_000_000,
};

/** Models for next edits, based on Qwen2.5-Coder unless stated otherwise. No repository has quantised them. */
const NEXT_EDIT = { ...QWEN25_CODER, isNextEdit: true, drafters: [], mlxBits: [] } as const;

/**
 * Pairs with an infilling prompt first, then chat models, then models for next edits, each group by size. The very
 * first is the exception: the pair for infilling that has a drafter and fits many machines.
 */
export const knownPairs: readonly KnownPair[] = [
  qwen(
    'Qwen3-Coder 30B-A3B',
    QWEN3_CODER,
    30_532_122_624,
    98_304,
    [dflash('Qwen3-Coder-30B-A3B-DFlash', 473_995_264, 16_384)],
    'Qwen/Qwen3-Coder-30B-A3B-Instruct',
  ),
  qwen('Qwen2.5-Coder 0.5B', QWEN25_CODER, 494_032_768, 12_288),
  qwen('Qwen2.5-Coder 1.5B', QWEN25_CODER, 1_543_714_304, 28_672),
  {
    ...qwen('Qwen2.5-Coder 3B', QWEN25_CODER, 3_085_938_688, 36_864),
    license: 'Qwen Research License',
    researchOnly: true,
  },
  qwen('Qwen2.5-Coder 7B', QWEN25_CODER, 7_615_616_512, 57_344),
  {
    name: 'Mellum 2 12B-A2.5B',
    modelType: 'mellum',
    activeParameters: 2_500_000_000,
    license: 'Apache-2.0',
    contextTokens: 131_072,
    infill: 'fim',
    thinking: 'never',
    target: {
      ...model('JetBrains/Mellum2-12B-A2.5B-Instruct', 12_149_923_072, 57_344),
      window: { tokens: 1024, cacheBytesPerToken: 43_008 },
    },
    drafters: [],
    mlxBits: [4],
  },
  qwen('Qwen2.5-Coder 14B', QWEN25_CODER, 14_770_033_664, 196_608),
  qwen('Qwen3-Coder-Next', QWEN3_NEXT, 79_674_391_296, 24_576, [
    dflash('Qwen3-Coder-Next-DFlash', 473_995_264, 16_384),
  ]),
  qwen('Qwen3 4B', QWEN3, 4_022_468_096, 147_456, [
    dflash('Qwen3-4B-DFlash-b16', 537_427_200, 20_480),
    dspark('qwen3_4b', 1_393_133_569, 20_480),
  ]),
  qwen('Qwen3.5 4B', QWEN35, 4_205_751_296, 32_768, [dflash('Qwen3.5-4B-DFlash', 537_427_200, 20_480)]),
  {
    name: 'Llama 3.1 8B Instruct',
    modelType: 'llama',
    license: 'Llama 3.1 Community License',
    contextTokens: 131_072,
    infill: 'chat',
    thinking: 'never',
    target: model('meta-llama/Llama-3.1-8B-Instruct', 8_030_261_248, 131_072),
    mlxName: 'Meta-Llama-3.1-8B-Instruct',
    drafters: [dflash('LLaMA3.1-8B-Instruct-DFlash-UltraChat', 1_048_626_432, 20_480, 10)],
  },
  qwen('Qwen3 8B', QWEN3, 8_190_735_360, 147_456, [
    dflash('Qwen3-8B-DFlash-b16', 1_048_626_432, 20_480),
    dspark('qwen3_8b', 2_371_081_729, 20_480),
  ]),
  qwen('Qwen3.5 9B', QWEN35, 8_953_803_264, 32_768, [dflash('Qwen3.5-9B-DFlash', 1_048_626_432, 20_480)]),
  {
    name: 'Gemma 4 12B',
    modelType: 'gemma4_unified',
    license: 'Apache-2.0',
    contextTokens: 262_144,
    infill: 'chat',
    thinking: 'off',
    target: {
      ...model('google/gemma-4-12B-it', 11_907_350_320, 344_064),
      window: { tokens: 1024, cacheBytesPerToken: 327_680 },
    },
    drafters: [dspark('gemma4_12b', 3_430_444_550, 10_240)],
  },
  qwen('Qwen3 14B', QWEN3, 14_768_307_200, 163_840, [dspark('qwen3_14b', 3_416_263_169, 20_480)]),
  qwen('Qwen3.5 27B', QWEN35, 26_895_998_464, 65_536, [dflash('Qwen3.5-27B-DFlash', 1_730_213_120, 20_480)]),
  qwen('Qwen3.6 27B', QWEN35, 26_895_998_464, 65_536, [dflash('Qwen3.6-27B-DFlash', 1_730_213_120, 20_480)]),
  qwen('Qwen3.8 27B', QWEN35, 26_895_998_464, 65_536, [
    { ...dflash2('Qwen3.8-27B-DFlash2', 1_924_404_480, 20_480), license: 'Apache-2.0' },
    // RadixArk states the licence "other". The next two counts follow from the sizes of the files, 3.71 GB each.
    sharingDSpark('RadixArk/Qwen3.8-27B-DSpark', 1_857_358_337, 7),
    { ...sharingDSpark('DimInfer/Qwen3.8-27B-Dspark-v1', 1_857_358_337, 15), license: 'Apache-2.0' },
    {
      ...sharingDSpark('RedHatAI/Qwen3.8-27B-speculator.dspark', 1_988_431_617, 8),
      window: { tokens: 2048, cacheBytesPerToken: 20_480 },
      license: 'Apache-2.0',
    },
  ]),
  qwen('Qwen3.5 35B-A3B', QWEN35_MOE, 34_660_610_688, 20_480, [
    dflash('Qwen3.5-35B-A3B-DFlash', 473_995_264, 16_384),
  ]),
  qwen('Qwen3.6 35B-A3B', QWEN35_MOE, 34_660_610_688, 20_480, [
    dflash2('Qwen3.6-35B-A3B-DFlash2', 526_251_520, 24_576),
    // Only the number of parameters is published. It implies six layers with eight key heads each, which give the
    // cache bytes, and eight tapped layers.
    dflash('Qwen3.6-35B-A3B-DFlash', 385_906_176, 24_576),
  ]),
  // A conversion: Sweep published the 1.5B and a 0.5B only as GGUF files, which llama-server runs.
  {
    name: 'Sweep Next Edit 1.5B',
    ...NEXT_EDIT,
    target: model('Chris-Kode/sweep-next-edit-1.5b-mlx', 1_543_714_304, 28_672),
  },
  {
    name: 'Sweep Next Edit 7B v2',
    ...NEXT_EDIT,
    target: model('sweepai/sweep-next-edit-v2-7B', 7_615_616_512, 57_344),
  },
  // Based on Seed-Coder 8B.
  {
    name: 'Zeta 2.1',
    ...NEXT_EDIT,
    modelType: 'llama',
    target: model('zed-industries/zeta-2.1', 8_250_462_208, 131_072),
  },
];

/** Finds a known pair by the name that users type, ignoring case. */
export function pairById(id: string): KnownPair | undefined {
  return knownPairs.find((pair) => pairId(pair) === id.toLowerCase());
}
