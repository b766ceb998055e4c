// A layer of attention at its place in a decoder: with its sort of cache, and the rotation and mask of its kind.
import type { DecoderLayer } from './decoderBlock';
import type { DecoderConfig } from './decoderConfig';
import type { Device } from './device';
import type { KVCacheShape } from './kvCache';
import type { LayerCache } from './layerCache';
import type { LayerKind } from './layerKind';
import { LayerPositions } from './layerPositions';
import type { Linear } from './linear';
import type * as mx from './ops';
import { newRope } from './rope';
import type { StackLayer, Step } from './stackLayer';
import type { Weights } from './weights';

class PlacedLayer implements StackLayer {
  constructor(
    readonly layer: DecoderLayer,
    /** Shared by all layers of its kind. */
    readonly positions: LayerPositions,
    private readonly shape: KVCacheShape,
  ) {}

  newCache(expectedRows: number): LayerCache {
    return this.positions.newCache(this.shape, expectedRows);
  }

  forward(h: mx.MxArray, step: Step, cache: LayerCache): mx.MxArray {
    const { rotate, mask } = this.positions.at(step);
    return this.layer.forward(h, rotate, mask, this.positions.cacheOf(cache));
  }

  linears(): Linear[] {
    return this.layer.linears();
  }
}

/** Puts layers at the places that `config` has for them. */
export function placement(
  config: DecoderConfig,
  device: Device,
  weights: Weights,
): (layer: DecoderLayer, index: number) => StackLayer {
  const { dtype } = device;
  const { rope, numKeyValueHeads: heads, headDim, attnLogitSoftcapping } = config;
  const everywhere: LayerKind = { rope };
  const maskForm = attnLogitSoftcapping === undefined ? 'native' : 'numbers';
  const places = new Map<LayerKind, LayerPositions>();
  return (layer, index) => {
    const kind = config.layerKinds?.[index] ?? everywhere;
    const rules = { window: kind.window, maskForm, dtype } as const;
    const place = places.get(kind) ?? new LayerPositions(newRope(kind.rope, device, weights), rules);
    places.set(kind, place);
    return new PlacedLayer(layer, place, { heads, headDim, dtype });
  };
}
