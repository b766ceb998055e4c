// What the targets of the known pairs have in common with others of their family, as published. Knows no single model.
/** What targets of one family have in common. */
export interface KnownFamily {
  /** `model_type` of the targets, as the registry knows it. */
  readonly modelType: string;
  /** In a mixture of experts, those that a token passes through, as published. */
  readonly activeParameters?: number;
  /** Of the target. */
  readonly license: string;
  /** Positions that the target was trained for. */
  readonly contextTokens: number;
  /** fim if the target's maker documents it. */
  readonly infill: 'fim' | 'chat';
  /** Trained to continue text only, not to follow instructions. */
  readonly isBase?: true;
  /** never: the target does not think. off: its drafters were trained on answers without thinking. */
  readonly thinking: 'never' | 'off' | 'either';
}

export const QWEN25_CODER: KnownFamily = {
  modelType: 'qwen2',
  license: 'Apache-2.0',
  contextTokens: 32_768,
  infill: 'fim',
  isBase: true,
  thinking: 'never',
};
export const QWEN3: KnownFamily = {
  modelType: 'qwen3',
  license: 'Apache-2.0',
  contextTokens: 40_960,
  infill: 'chat',
  thinking: 'off',
};
export const QWEN3_CODER: KnownFamily = {
  ...QWEN3,
  modelType: 'qwen3_moe',
  activeParameters: 3_300_000_000,
  contextTokens: 262_144,
  infill: 'fim',
  thinking: 'never',
};
export const QWEN3_NEXT: KnownFamily = {
  ...QWEN3_CODER,
  modelType: 'qwen3_next',
  activeParameters: 3_000_000_000,
};
export const QWEN35: KnownFamily = {
  ...QWEN3,
  modelType: 'qwen3_5',
  contextTokens: 262_144,
  thinking: 'either',
};
export const QWEN35_MOE: KnownFamily = {
  ...QWEN35,
  modelType: 'qwen3_5_moe',
  activeParameters: 3_000_000_000,
};
export const LLAMA: KnownFamily = {
  modelType: 'llama',
  license: 'Llama 3.1 Community License',
  contextTokens: 131_072,
  infill: 'chat',
  thinking: 'never',
};
export const MELLUM: KnownFamily = {
  modelType: 'mellum',
  activeParameters: 2_500_000_000,
  license: 'Apache-2.0',
  contextTokens: 131_072,
  infill: 'fim',
  thinking: 'never',
};
export const GEMMA4: KnownFamily = {
  modelType: 'gemma4_unified',
  license: 'Apache-2.0',
  contextTokens: 262_144,
  infill: 'chat',
  thinking: 'off',
};
