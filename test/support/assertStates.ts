// Compares a target with the states of a reference: the output of every layer, so that the first wrong layer is found.
import type { TargetModel } from '../../server/models/decoder/target';
import { assertClose, rowsOf } from './arrayValues';
import type { Golden } from './fixtures';
import { runInChunks } from './tokenRun';

/** Runs the golden's tokens in chunks of `sizes` rows, and returns their logits for the caller to compare. */
export function assertStates(
  target: TargetModel,
  golden: Golden,
  sizes: readonly number[],
  tolerance: number,
): readonly number[] {
  const ids = golden('input_ids');
  const last = target.config.numHiddenLayers - 1;
  const layers = Array.from({ length: last }, (_, layer) => layer);
  const { taps, hidden, logits } = runInChunks(target, ids, sizes, layers);
  const { hiddenSize } = target.config;
  for (const layer of layers) {
    // [rows, layers, hiddenSize]
    const starts = ids.map((_, row) => (row * last + layer) * hiddenSize);
    const output = starts.flatMap((start) => taps.slice(start, start + hiddenSize));
    assertClose(output, layerOutputs(target, golden, layer), tolerance, `outputs of layer ${layer}`);
  }
  // The reference keeps the last layer's output after the final norm.
  assertClose(hidden, layerOutputs(target, golden, last), tolerance, 'final hidden states');
  return logits;
}

/** Returns the golden's output of a layer; for -1, its embeddings. */
export function layerOutputs(target: TargetModel, golden: Golden, layer: number): number[] {
  const width = golden('input_ids').length * target.config.hiddenSize;
  return rowsOf(golden('hidden_states'), width, layer + 1, layer + 2);
}
