// A checkpoint in llama.cpp's words: names, sizes, vocabulary, and weights expanded exactly.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { writeQwen3Gguf } from '../../../../bench/peers/qwen3Gguf';
import type { GgufType } from '../../../../bench/peers/writeGguf';
import { tensorValues } from '../../../support/fileTensor';
import { quantisedCheckpoint } from '../../../support/quantisedCheckpoint';
import {
  storedAs,
  tinyTarget,
  writeCheckpoint,
  writeJson,
  type Checkpoint,
} from '../../../support/tinyCheckpoint';
import { floatsOf, readGguf, type ReadGguf } from './ggufFile';

const TOKENIZER = {
  added_tokens: [{ id: 3, content: '<|end|>' }],
  model: {
    vocab: { b: 1, a: 0, ab: 2 },
    merges: [['a', 'b']],
  },
};

const LAYER_NAMES = [
  ['attn_q', 'self_attn.q_proj'],
  ['attn_k', 'self_attn.k_proj'],
  ['attn_v', 'self_attn.v_proj'],
  ['attn_output', 'self_attn.o_proj'],
  ['attn_q_norm', 'self_attn.q_norm'],
  ['attn_k_norm', 'self_attn.k_norm'],
  ['attn_norm', 'input_layernorm'],
  ['ffn_norm', 'post_attention_layernorm'],
  ['ffn_gate', 'mlp.gate_proj'],
  ['ffn_up', 'mlp.up_proj'],
  ['ffn_down', 'mlp.down_proj'],
] as const;

function converted(checkpoint: Checkpoint, type: GgufType = 'f32'): ReadGguf {
  const folder = writeCheckpoint(checkpoint, 2);
  writeJson(folder, 'tokenizer.json', TOKENIZER);
  const file = join(folder, 'model.gguf');
  writeQwen3Gguf(folder, file, type);
  return readGguf(file);
}

/** The names of a file and the checkpoint, for as many layers as the tiny target has. */
function names(checkpoint: Checkpoint): Map<string, string> {
  const layers = [0, 1, 2].flatMap((layer) =>
    LAYER_NAMES.map(([name, path]) => [`blk.${layer}.${name}`, `model.layers.${layer}.${path}`] as const),
  );
  const ends = [
    ['token_embd', 'model.embed_tokens'],
    ['output_norm', 'model.norm'],
    ['output', 'lm_head'],
  ] as const;
  const all = [...layers, ...ends].map(([name, path]) => [`${name}.weight`, `${path}.weight`] as const);
  return new Map(all.filter(([, path]) => path in checkpoint.tensors));
}

function assertSameWeights(found: ReadGguf, checkpoint: Checkpoint): void {
  const expected = names(checkpoint);
  assert.equal(expected.size, Object.keys(checkpoint.tensors).length);
  assert.deepEqual([...found.tensors.keys()].sort(), [...expected.keys()].sort());
  for (const [name, path] of expected) {
    const tensor = checkpoint.tensors[path];
    assert.ok(tensor);
    assert.deepEqual(found.tensors.get(name)?.sizes, [...tensor.shape].reverse(), name);
    assert.deepEqual(floatsOf(found, name), tensorValues(tensor), name);
  }
}

describe('writeQwen3Gguf', () => {
  const tied = tinyTarget({ tie_word_embeddings: true });

  it('has all weights of a tied and an untied checkpoint', () => {
    assertSameWeights(converted(tied), tied);
    for (const dtype of ['F16', 'BF16'] as const) assertSameWeights(converted(storedAs(tied, dtype)), tied);
    const untied = tinyTarget();
    assertSameWeights(converted(untied), untied);
  });

  for (const bits of [4, 8])
    for (const groupSize of [32, 64, 128])
      it(`expands ${bits}-bit weights in groups of ${groupSize} exactly`, () => {
        const { quantised, expanded } = quantisedCheckpoint(tied, { bits, groupSize });
        assertSameWeights(converted(quantised), expanded);
      });

  it('quantises matrices and leaves norms alone', () => {
    const { tensors } = converted(tied, 'q8_0');
    for (const [name, { sizes, type }] of tensors) assert.equal(type, sizes.length === 2 ? 8 : 0, name);
  });

  it('says what the network is', () => {
    const { metadata } = converted(tied, 'q8_0');
    const expected = {
      'general.architecture': 'qwen3',
      'general.file_type': 7,
      'qwen3.context_length': 512,
      'qwen3.embedding_length': 128,
      'qwen3.block_count': 3,
      'qwen3.feed_forward_length': 256,
      'qwen3.attention.head_count': 4,
      'qwen3.attention.head_count_kv': 2,
      'qwen3.attention.key_length': 32,
      'qwen3.attention.value_length': 32,
      'qwen3.attention.layer_norm_rms_epsilon': Math.fround(1e-6),
      'qwen3.rope.freq_base': 1e6,
    };
    for (const [key, value] of Object.entries(expected)) assert.equal(metadata.get(key), value, key);
  });

  it('has a row for each token, also where the vocabulary has none', () => {
    const { metadata } = converted(tied);
    const tokens = metadata.get('tokenizer.ggml.tokens') as string[];
    assert.equal(tokens.length, 96);
    assert.equal(new Set(tokens).size, 96);
    assert.deepEqual(tokens.slice(0, 4), ['a', 'b', 'ab', '<|end|>']);
    assert.deepEqual(metadata.get('tokenizer.ggml.token_type'), [1, 1, 1, 3, ...Array<number>(92).fill(5)]);
    assert.deepEqual(metadata.get('tokenizer.ggml.merges'), ['a b']);
    assert.equal(metadata.get('tokenizer.ggml.eos_token_id'), 2);
    assert.equal(metadata.get('tokenizer.ggml.add_bos_token'), false);
  });
});
