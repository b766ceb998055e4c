// What is known of a published target and the drafter made for it: what to download, and what it takes to run it.
// Knows no files; those say what is loaded.

export interface KnownTarget {
  /** On Hugging Face, in bf16. */
  readonly repository: string;
  /** `model_type`, as the registry knows it. */
  readonly modelType: string;
  /** Of the text model, from its config.json; without vision and further prediction heads, which are not loaded. */
  readonly parameters: number;
  /** Of a mixture of experts, those that a token passes through, as published. */
  readonly activeParameters?: number;
  readonly license: string;
  /** Positions it was trained for. */
  readonly contextTokens: number;
  /** Keys and values of one token in bf16, of all layers that keep them. */
  readonly cacheBytesPerToken: number;
  /** Quantised by mlx-community, in groups of 64. */
  readonly quantised: readonly { readonly repository: string; readonly bits: 4 | 8 }[];
}

export interface KnownDrafter {
  readonly repository: string;
  readonly kind: 'dflash';
  /** Rows of a block: the anchor and what is drafted. */
  readonly blockSize: number;
  /** From its config.json, in bf16. */
  readonly parameters: number;
  readonly license: string;
  readonly cacheBytesPerToken: number;
}

export interface KnownPair {
  readonly name: string;
  readonly target: KnownTarget;
  readonly drafter: KnownDrafter;
  /** fim where the maker of the target documents it. What a model is asked with is probed at its first load all the same. */
  readonly infill: 'fim' | 'chat';
  /** never: the target does not think. off: its drafter was trained on answers without thinking. */
  readonly thinking: 'never' | 'off' | 'either';
}

/** The files of a repository that are read. */
export const PAIR_FILES = {
  target: [
    'config.json',
    'generation_config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'chat_template.jinja',
    'chat_template.json',
    'model.safetensors.index.json',
    '*.safetensors',
  ],
  drafter: ['config.json', 'model.safetensors.index.json', '*.safetensors'],
} as const;

const BYTES_BF16 = 2;
const GROUP = 64;
/** Of a scale and a bias per group. */
const BITS_PER_GROUP = 32;
/** A long prompt and its output; what memory is planned for. */
export const CACHED_TOKENS = 8192;

/** Bytes of the weights of a target with so many bits, group scales included. */
export function targetBytes({ parameters }: KnownTarget, bits: 4 | 8 | 16): number {
  const perParameter = bits === 16 ? bits : bits + BITS_PER_GROUP / GROUP;
  return Math.ceil((parameters * perParameter) / 8);
}

export function drafterBytes({ parameters }: KnownDrafter): number {
  return parameters * BYTES_BF16;
}
