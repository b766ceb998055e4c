// How a network's layers see positions: by what rotation, and how far back. Most networks have one kind of layer,
// some alternate between two.
import { InputError } from '../inputError';
import type { ConfigFields } from './configFields';
import type { RopeConfig } from './ropeConfig';

export interface LayerKind {
  readonly rope: RopeConfig;
  /** Positions that a row sees, its own included; all where it is left out. */
  readonly window?: number | undefined;
}

type LayerType = 'sliding_attention' | 'full_attention';

/**
 * One entry per layer, from `layer_types` where the file has it; else every `every`-th layer sees everything and
 * the others a window.
 */
export function parseLayerTypes(fields: ConfigFields, numHiddenLayers: number, every: number): LayerType[] {
  if (!fields.has('layer_types')) {
    return Array.from({ length: numHiddenLayers }, (_, i) =>
      (i + 1) % every === 0 ? 'full_attention' : 'sliding_attention',
    );
  }
  const types = fields.strings('layer_types').map((name) => asLayerType(name, fields));
  if (types.length === numHiddenLayers) return types;
  throw new InputError({
    expected: `${String(numHiddenLayers)} layer_types in ${fields.source}`,
    got: String(types.length),
    remedy: 'correct the file or download it again',
  });
}

function asLayerType(name: string, fields: ConfigFields): LayerType {
  if (name === 'sliding_attention' || name === 'full_attention') return name;
  throw new InputError({
    expected: `layer_types of sliding_attention or full_attention in ${fields.source}`,
    got: name,
    remedy: 'use a checkpoint of the published form',
  });
}

/** The kinds of layers that turn alike and differ in their window only; layers of a kind share one object. */
export function windowedLayers(
  types: readonly LayerType[],
  rope: RopeConfig,
  window: number,
): readonly LayerKind[] {
  const kinds: Readonly<Record<LayerType, LayerKind>> = {
    sliding_attention: { rope, window },
    full_attention: { rope },
  };
  return types.map((type) => kinds[type]);
}
