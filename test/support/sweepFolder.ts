// A folder as Sweep publishes its models: Qwen2 with the tokens of the prompt format, here tiny and with random
// weights.
import { copyFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAIR_TARGET } from './fixtures';
import { tinyTarget, withTensors, writeCheckpoint } from './tinyCheckpoint';
import { temporaryFolder } from './temporaryFolder';

export const SWEEP_NAME = 'sweep-next-edit-0.5b';
const CONTEXT_TOKENS = 2048;

export function sweepFolder(): string {
  const { vocab_size, eos_token_id } = JSON.parse(
    readFileSync(join(PAIR_TARGET, 'config.json'), 'utf8'),
  ) as Record<string, number>;
  const checkpoint = tinyTarget({
    model_type: 'qwen2',
    architectures: ['Qwen2ForCausalLM'],
    attention_bias: true,
    tie_word_embeddings: true,
    max_position_embeddings: CONTEXT_TOKENS,
    vocab_size,
    eos_token_id,
  });
  const foreign = Object.keys(checkpoint.tensors).filter((name) => /[qk]_norm|o_proj\.bias/.test(name));
  const removals = Object.fromEntries(foreign.map((name) => [name, undefined]));
  const folder = join(temporaryFolder(), SWEEP_NAME);
  cpSync(writeCheckpoint(withTensors(checkpoint, removals)), folder, { recursive: true });
  for (const file of ['tokenizer.json', 'tokenizer_config.json'])
    copyFileSync(join(PAIR_TARGET, file), join(folder, file));
  return folder;
}
