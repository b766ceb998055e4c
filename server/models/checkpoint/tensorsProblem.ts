// Checks the tensors of a target against its config.json, as far as both describe them before a weight is read.
import type { InputProblem } from '../../rules/inputError';
import type { ConfigFields } from './configFields';
import type { TensorInfo } from './safetensors';

/** The table of tokens or the first layer that is not as promised. */
export function tensorsProblem(
  config: ConfigFields,
  tensors: ReadonlyMap<string, TensorInfo>,
): Pick<InputProblem, 'expected' | 'got'> | undefined {
  const text = config.part('text_config');
  const promised = (field: string) => (text.has(field) ? text.integer(field) : undefined);
  const names = [...tensors.keys()];
  const layers = Array.from({ length: promised('num_hidden_layers') ?? 0 }, (_, i) => `layers.${String(i)}.`);
  const missing = layers.findIndex((layer) => !names.some((each) => each.includes(layer)));
  if (missing >= 0)
    return { expected: `${String(layers.length)} layers`, got: `no layer ${String(missing)}` };
  const table = [...tensors].find(([each]) => each.endsWith('embed_tokens.weight'))?.[1];
  if (table === undefined) return { expected: 'embed_tokens.weight', got: 'none' };
  // Packed words hold several numbers.
  const columns = table.dtype === 'U32' ? table.shape[1] : promised('hidden_size');
  const shape = [promised('vocab_size') ?? table.shape[0], columns ?? table.shape[1]];
  if (shape.join() === table.shape.join()) return undefined;
  return { expected: `embed_tokens.weight [${shape.join(', ')}]`, got: `[${table.shape.join(', ')}]` };
}
