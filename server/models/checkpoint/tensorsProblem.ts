// Checks, before a weight is read, that a target has the layers and the embedding table that its config.json describes.
import type { ConfigFields } from './configFields';
import type { TensorInfo } from './safetensors';

/**
 * Returns what was expected and found for the first problem, a missing layer or a wrong embedding table; undefined if
 * there is none.
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
  if (table === undefined) return { expected: 'embed_tokens.weight', got: 'no such tensor' };
  // The width of a packed table is not hidden_size, as one word holds several weights, so it is not checked.
  const columns = table.dtype === 'U32' ? table.shape[1] : configured('hidden_size');
  const shape = [configured('vocab_size') ?? table.shape[0], columns ?? table.shape[1]];
  if (shape.join() === table.shape.join()) return undefined;
  return { expected: `embed_tokens.weight [${shape.join(', ')}]`, got: `[${table.shape.join(', ')}]` };
}
