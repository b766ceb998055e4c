// Hybrids of the Qwen family: Qwen3-Next, and Qwen3.5 with or without experts. Most layers are gated delta layers, the
// others attention with a gate on its outputs. The text part can belong to a model that also reads images.
import { attentionLayers, type AttentionPass } from '../decoder/attentionLayers';
import type { ConfigFields } from '../checkpoint/configFields';
import { parseDecoderConfig, SILU, textFields, type DecoderConfig } from '../decoder/decoderConfig';
import type { Mixers } from '../decoder/decoderLayers';
import { decoderStack } from '../decoder/decoderStack';
import { gatedDeltaNet } from '../hybrid/gatedDeltaNet';
import { loadGrouped, loadSeparate } from '../hybrid/projections';
import type { DeltaSizes, LoadProjections } from '../hybrid/projections';
import { blockMasks, MAX_BLOCK, type Block } from '../hybrid/deltaRule';
import type { Shards } from '../checkpoint/shards';
import type { Weights } from '../checkpoint/weights';
import { parseSparseConfig } from '../decoder/sparseMlp';
import type { TargetFamily } from '../decoder/target';

/** Defaults of transformers. */
const DEFAULTS = {
  head_dim: 256,
  partial_rotary_factor: 0.25,
  full_attention_interval: 4,
  max_position_embeddings: 32768,
  linear_conv_kernel_dim: 4,
  linear_key_head_dim: 128,
  linear_value_head_dim: 128,
  linear_num_key_heads: 16,
  linear_num_value_heads: 32,
};

/** Tensors that do not belong to the decoder: the parts for images, and those that predict further tokens. */
const OTHER_PARTS = /^(.*\.)?(mtp|visual|vision_tower)\./;
const KERNEL_SUFFIX = 'linear_attn.conv1d.weight';

/** Data that the layers share in a pass. */
interface HybridPass extends AttentionPass {
  readonly blocks: readonly Block[];
}

/** Qwen3.5, whose gated delta layers have four separate input projections. */
export const qwen35 = hybridDecoder(loadSeparate);
/** Qwen3-Next, whose gated delta layers have two input projections, grouped by key head. */
export const qwen3Next = hybridDecoder(loadGrouped);

function hybridDecoder(loadProjections: LoadProjections): TargetFamily {
  return (fields) => {
    const { config, sizes } = parseHybridConfig(fields);
    const loadMixers = (weights: Weights): Mixers<HybridPass> => {
      const attention = attentionLayers(config, weights);
      const blocks = blockMasks(weights);
      return {
        pass: (offset, rows) => ({ ...attention.pass(offset, rows), blocks: blocks(rows) }),
        load: (path, index) =>
          config.layerTypes[index] === 'full_attention'
            ? attention.load(path, index)
            : gatedDeltaNet(weights, `${path}.linear_attn`, sizes, loadProjections),
      };
    };
    return (files) => decoderStack(files, config, loadMixers, normOffsetOf);
  };
}

/** Parses the config of a hybrid. Throws UserError for a variant that is not supported. */
export function parseHybridConfig(fields: ConfigFields): { config: DecoderConfig; sizes: DeltaSizes } {
  const text = textPart(fields);
  const config = parseTextPart(text);
  return { config, sizes: parseDeltaSizes(text, config) };
}

function parseTextPart(text: ConfigFields): DecoderConfig {
  text.allowOnly('attn_output_gate', [true]);
  text.allowOnly('use_sliding_window', [false]);
  // Activation of the gate of gated delta layers.
  text.allowOnly('output_gate_type', SILU);
  const fullEvery = text.integer('full_attention_interval');
  const config = parseDecoderConfig(text, { otherType: 'linear_attention', fullEvery });
  const sparse = parseSparseConfig(text);
  const shared = 'shared_expert_intermediate_size';
  return {
    ...config,
    headNorms: true,
    outputGate: true,
    maxBlockSize: MAX_BLOCK,
    sparse: sparse && {
      ...sparse,
      sharedExpertIntermediateSize: text.isSet(shared) ? text.integer(shared) : undefined,
    },
    otherParts: OTHER_PARTS,
  };
}

/** Returns the fields of the text part, which models that read images nest. */
function textPart(fields: ConfigFields): ConfigFields {
  // If all layers have experts, the file can omit the width of MLPs.
  const width = { intermediate_size: fields.part('text_config').raw('moe_intermediate_size') };
  return textFields(fields, ['eos_token_id', 'tie_word_embeddings'], { ...DEFAULTS, ...width });
}

function parseDeltaSizes(text: ConfigFields, { hiddenSize, rmsNormEps }: DecoderConfig): DeltaSizes {
  const linearNumKeyHeads = text.integer('linear_num_key_heads');
  const linearNumValueHeads = text.integer('linear_num_value_heads');
  if (linearNumValueHeads % linearNumKeyHeads !== 0) {
    throw text.refusal(
      'linear_num_value_heads to be a multiple of linear_num_key_heads',
      `${String(linearNumValueHeads)} and ${String(linearNumKeyHeads)}`,
    );
  }
  return {
    hiddenSize,
    rmsNormEps,
    linearNumKeyHeads,
    linearNumValueHeads,
    linearKeyHeadDim: text.integer('linear_key_head_dim', { max: 1024 }),
    linearValueHeadDim: text.integer('linear_value_head_dim', { max: 1024 }),
    // With a kernel of one tap, the state would have no inputs to keep.
    linearConvKernelDim: text.integer('linear_conv_kernel_dim', { min: 2, max: 64 }),
  };
}

/**
 * Returns the number to add to the norm weights. Files with kernels of [channels, 1, taps] store norms minus 1; mlx-lm
 * transposes the kernels and adds 1 to the norms.
 */
function normOffsetOf(tensors: Shards['tensors']): number {
  const [, kernel] = [...tensors].find(([name]) => name.endsWith(KERNEL_SUFFIX)) ?? [];
  return kernel?.shape.at(-1) === 1 ? 0 : 1;
}
