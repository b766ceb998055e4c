// The published pairs that load here, with their facts as of their repositories in 2026. Of other published drafters,
// DSpark ones and those of families without a target here are missing.
import type { KnownDrafter, KnownPair, KnownTarget } from './knownPair';

const APACHE = 'Apache-2.0';

function quantised(name: string, eightBit = `mlx-community/${name}-8bit`): KnownTarget['quantised'] {
  return [
    { repository: `mlx-community/${name}-4bit`, bits: 4 },
    { repository: eightBit, bits: 8 },
  ];
}

function dflash(
  repository: string,
  parameters: number,
  cacheBytesPerToken: number,
  blockSize = 16,
): KnownDrafter {
  return { repository, kind: 'dflash', blockSize, parameters, license: 'MIT', cacheBytesPerToken };
}

/** The one for infilling first, the others by size. */
export const knownPairs: readonly KnownPair[] = [
  {
    name: 'Qwen3-Coder 30B-A3B',
    target: {
      repository: 'Qwen/Qwen3-Coder-30B-A3B-Instruct',
      modelType: 'qwen3_moe',
      parameters: 30_532_122_624,
      activeParameters: 3_300_000_000,
      license: APACHE,
      contextTokens: 262_144,
      cacheBytesPerToken: 98_304,
      quantised: quantised('Qwen3-Coder-30B-A3B-Instruct'),
    },
    drafter: dflash('z-lab/Qwen3-Coder-30B-A3B-DFlash', 473_995_264, 16_384),
    infill: 'fim',
    thinking: 'never',
  },
  {
    name: 'Qwen3 4B',
    target: {
      repository: 'Qwen/Qwen3-4B',
      modelType: 'qwen3',
      parameters: 4_022_468_096,
      license: APACHE,
      contextTokens: 40_960,
      cacheBytesPerToken: 147_456,
      quantised: quantised('Qwen3-4B'),
    },
    drafter: dflash('z-lab/Qwen3-4B-DFlash-b16', 537_427_200, 20_480),
    infill: 'chat',
    thinking: 'off',
  },
  {
    name: 'Qwen3.5 4B',
    target: {
      repository: 'Qwen/Qwen3.5-4B',
      modelType: 'qwen3_5',
      parameters: 4_205_751_296,
      license: APACHE,
      contextTokens: 262_144,
      cacheBytesPerToken: 32_768,
      quantised: quantised('Qwen3.5-4B'),
    },
    drafter: dflash('z-lab/Qwen3.5-4B-DFlash', 537_427_200, 20_480),
    infill: 'chat',
    thinking: 'either',
  },
  {
    name: 'Llama 3.1 8B Instruct',
    target: {
      repository: 'meta-llama/Llama-3.1-8B-Instruct',
      modelType: 'llama',
      parameters: 8_030_261_248,
      license: 'Llama 3.1 Community License',
      contextTokens: 131_072,
      cacheBytesPerToken: 131_072,
      quantised: quantised('Meta-Llama-3.1-8B-Instruct'),
    },
    drafter: dflash('z-lab/LLaMA3.1-8B-Instruct-DFlash-UltraChat', 1_048_626_432, 20_480, 10),
    infill: 'chat',
    thinking: 'never',
  },
  {
    name: 'Qwen3 8B',
    target: {
      repository: 'Qwen/Qwen3-8B',
      modelType: 'qwen3',
      parameters: 8_190_735_360,
      license: APACHE,
      contextTokens: 40_960,
      cacheBytesPerToken: 147_456,
      quantised: quantised('Qwen3-8B'),
    },
    drafter: dflash('z-lab/Qwen3-8B-DFlash-b16', 1_048_626_432, 20_480),
    infill: 'chat',
    thinking: 'off',
  },
  {
    name: 'Qwen3.5 9B',
    target: {
      repository: 'Qwen/Qwen3.5-9B',
      modelType: 'qwen3_5',
      parameters: 8_953_803_264,
      license: APACHE,
      contextTokens: 262_144,
      cacheBytesPerToken: 32_768,
      quantised: quantised('Qwen3.5-9B'),
    },
    drafter: dflash('z-lab/Qwen3.5-9B-DFlash', 1_048_626_432, 20_480),
    infill: 'chat',
    thinking: 'either',
  },
  {
    name: 'Qwen3.5 27B',
    target: {
      repository: 'Qwen/Qwen3.5-27B',
      modelType: 'qwen3_5',
      parameters: 26_895_998_464,
      license: APACHE,
      contextTokens: 262_144,
      cacheBytesPerToken: 65_536,
      quantised: quantised('Qwen3.5-27B'),
    },
    drafter: dflash('z-lab/Qwen3.5-27B-DFlash', 1_730_213_120, 20_480),
    infill: 'chat',
    thinking: 'either',
  },
  {
    name: 'Qwen3.6 27B',
    target: {
      repository: 'Qwen/Qwen3.6-27B',
      modelType: 'qwen3_5',
      parameters: 26_895_998_464,
      license: APACHE,
      contextTokens: 262_144,
      cacheBytesPerToken: 65_536,
      quantised: quantised('Qwen3.6-27B'),
    },
    drafter: dflash('z-lab/Qwen3.6-27B-DFlash', 1_730_213_120, 20_480),
    infill: 'chat',
    thinking: 'either',
  },
  {
    name: 'Qwen3.5 35B-A3B',
    target: {
      repository: 'Qwen/Qwen3.5-35B-A3B',
      modelType: 'qwen3_5_moe',
      parameters: 34_660_610_688,
      activeParameters: 3_000_000_000,
      license: APACHE,
      contextTokens: 262_144,
      cacheBytesPerToken: 20_480,
      quantised: quantised('Qwen3.5-35B-A3B'),
    },
    drafter: dflash('z-lab/Qwen3.5-35B-A3B-DFlash', 473_995_264, 16_384),
    infill: 'chat',
    thinking: 'either',
  },
  {
    name: 'Qwen3.6 35B-A3B',
    target: {
      repository: 'Qwen/Qwen3.6-35B-A3B',
      modelType: 'qwen3_5_moe',
      parameters: 34_660_610_688,
      activeParameters: 3_000_000_000,
      license: APACHE,
      contextTokens: 262_144,
      cacheBytesPerToken: 20_480,
      quantised: quantised('Qwen3.6-35B-A3B'),
    },
    drafter: dflash('z-lab/Qwen3.6-35B-A3B-DFlash', 473_995_264, 16_384),
    infill: 'chat',
    thinking: 'either',
  },
  {
    name: 'Qwen3-Coder-Next',
    target: {
      repository: 'Qwen/Qwen3-Coder-Next',
      modelType: 'qwen3_next',
      parameters: 79_674_391_296,
      activeParameters: 3_000_000_000,
      license: APACHE,
      contextTokens: 262_144,
      cacheBytesPerToken: 24_576,
      quantised: quantised('Qwen3-Coder-Next'),
    },
    drafter: dflash('z-lab/Qwen3-Coder-Next-DFlash', 473_995_264, 16_384),
    infill: 'chat',
    thinking: 'never',
  },
];
