// Checks the tensors of a target against its config.json, as far as both describe them before a weight is read.
import type { ConfigFields } from './configFields';
import type { TensorInfo } from './safetensors';

/**
 * Returns the expected and the actual form of the first missing layer, or of a wrong token table; undefined if both
 * fit.
 */
export function tensorsProblem(
  config: ConfigFields,
  tensors: ReadonlyMap<string, TensorInfo>,
): { readonly expected: string; readonly got: string } | undefined {
  const text = config.part('text_config');
  const configured = (field: string) => (text.has(field) ? text.integer(field) : undefined);
  const names = [...tensors.keys()];
  const layers = Array.from(
    { length: configured('num_hidden_layers') ?? 0 },
    (_, i) => `layers.${String(i)}.`,
  );
  const missing = layers.findIndex((layer) => !names.some((name) => name.includes(layer)));
  if (missing >= 0)
    return { expected: `${String(layers.length)} layers`, got: `no layer ${String(missing)}` };
  const table = [...tensors].find(([name]) => name.endsWith('embed_tokens.weight'))?.[1];
  if (table === undefined) return { expected: 'embed_tokens.weight', got: 'none' };
  // A packed word holds several weights.
  const columns = table.dtype === 'U32' ? table.shape[1] : configured('hidden_size');
  const shape = [configured('vocab_size') ?? table.shape[0], columns ?? table.shape[1]];
  if (shape.join() === table.shape.join()) return undefined;
  return { expected: `embed_tokens.weight [${shape.join(', ')}]`, got: `[${table.shape.join(', ')}]` };
}
