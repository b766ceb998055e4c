// A target that records its inputs and exposes the caches of the decode that uses it. It passes everything else to
// another target.
import type { LayerCache } from '../../server/models/decoder/layerCache';
import * as mx from '../../server/models/mlx/ops';
import type { Forward, TargetConfig, TargetModel } from '../../server/models/decoder/target';

export interface Pass {
  /** Position of the first row. */
  readonly offset: number;
  readonly tokens: readonly number[];
}

export class RecordingTarget implements TargetModel {
  readonly passes: Pass[] = [];
  caches: LayerCache[] = [];

  constructor(
    private readonly inner: TargetModel,
    /** Called before each pass with its number. */
    private readonly onPass: (pass: number) => void = () => undefined,
  ) {}

  get config(): TargetConfig {
    return this.inner.config;
  }

  newCaches(expectedRows: number): LayerCache[] {
    this.passes.length = 0;
    return (this.caches = this.inner.newCaches(expectedRows));
  }

  forward(tokens: mx.MxArray, caches: readonly LayerCache[], taps: readonly number[]): Forward {
    this.onPass(this.passes.length);
    this.passes.push({ offset: caches[0]?.offset ?? 0, tokens: mx.numbers(tokens) });
    return this.inner.forward(tokens, caches, taps);
  }

  logits(hidden: mx.MxArray): mx.MxArray {
    return this.inner.logits(hidden);
  }

  embed(tokens: mx.MxArray): mx.MxArray {
    return this.inner.embed(tokens);
  }

  dispose(): void {
    this.inner.dispose();
  }
}
