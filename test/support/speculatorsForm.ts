// Rewrites drafters of z-lab and DeepSpec into the form of vLLM's speculators. With a reduced vocabulary they also get
// an embedding, an output head of the kept rows, and the two maps between the vocabularies.
import assert from 'node:assert/strict';
import { floatTensor, tensorValues, type FileTensor } from './fileTensor';
import type { FileTensors } from './safetensorsFile';
import type { Checkpoint } from './tinyCheckpoint';

/** Fields that describe the network; everything else describes the block. */
const NETWORK =
  /^(model_type|vocab_size|hidden_|intermediate_size|num_(hidden_layers|attention_heads|key_value_heads)|head_dim|rms_norm_eps|rope_|max_position|attention_|layer_types|sliding_window$|use_sliding|max_window|tie_word)/;

/** Converts a drafter to the form of speculators. `more` adds or replaces fields at the top level. */
export function inSpeculatorsForm(
  { config, tensors }: Checkpoint,
  algorithm: string,
  more: Readonly<Record<string, unknown>> = {},
): Checkpoint {
  const inner = (config['dflash_config'] ?? config['dspark_config'] ?? {}) as Record<string, unknown>;
  const flat: Record<string, unknown> = { ...config, ...inner };
  for (const name of ['dflash_config', 'dspark_config', 'num_target_layers']) delete flat[name];
  const entries = Object.entries(flat);
  const { target_layer_ids: taps, ...block } = Object.fromEntries(
    entries.filter(([name]) => !NETWORK.test(name)),
  );
  assert.ok(Array.isArray(taps));
  const fromAnchor = algorithm === 'dspark';
  return {
    tensors,
    config: {
      ...block,
      architectures: [fromAnchor ? 'DSparkSpeculator' : 'DFlashSpeculator'],
      aux_hidden_state_layer_ids: taps.map((id: number) => id + 1),
      draft_vocab_size: config['vocab_size'],
      sample_from_anchor: fromAnchor,
      speculators_model_type: algorithm,
      speculators_config: { algorithm, proposal_methods: [{ proposal_type: 'greedy' }] },
      transformer_layer_config: Object.fromEntries(entries.filter(([name]) => NETWORK.test(name))),
      ...more,
    },
  };
}

/**
 * Converts a drafter to the form of speculators with a vocabulary of the `kept` tokens. The embedding and the head come
 * from `target` if the drafter has none.
 */
export function withReducedVocabulary(
  checkpoint: Checkpoint,
  algorithm: string,
  kept: readonly number[],
  target: FileTensors,
): Checkpoint {
  const { config, tensors } = inSpeculatorsForm(checkpoint, algorithm, { draft_vocab_size: kept.length });
  const table = tensors['embed_tokens.weight'] ?? target['model.embed_tokens.weight'];
  const head = tensors['lm_head.weight'] ?? target['lm_head.weight'];
  const markov = tensors['markov_head.markov_w2.weight'];
  assert.ok(table && head);
  return {
    config,
    tensors: {
      ...tensors,
      'embed_tokens.weight': table,
      'lm_head.weight': rowsOf(head, kept),
      ...(markov && { 'markov_head.markov_w2.weight': rowsOf(markov, kept) }),
      ...vocabularyMaps(kept, table.shape[0] ?? 0),
    },
  };
}

/**
 * Creates `d2t` and `t2d` as speculators stores them: for each kept token the distance of its id from its index in the
 * reduced vocabulary, and for each id of the target whether it is kept.
 */
export function vocabularyMaps(kept: readonly number[], vocabSize: number): FileTensors {
  const distances = BigInt64Array.from(kept, (id, i) => BigInt(id - i));
  const flags = Uint8Array.from({ length: vocabSize }, (_, id) => Number(kept.includes(id)));
  return {
    d2t: { dtype: 'I64', shape: [kept.length], bytes: new Uint8Array(distances.buffer) },
    t2d: { dtype: 'BOOL', shape: [vocabSize], bytes: flags },
  };
}

function rowsOf(tensor: FileTensor, rows: readonly number[]): FileTensor {
  const [, width = 0] = tensor.shape;
  const values = tensorValues(tensor);
  return floatTensor(
    [rows.length, width],
    rows.flatMap((row) => values.slice(row * width, (row + 1) * width)),
  );
}
