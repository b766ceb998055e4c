// Facts from the files of the embedded pair, so that tests hold for any embedded pair. Loads no model.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { quantisedBits } from '../../server/models/checkpoint/modelSizes';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { EMBEDDED_PAIR } from './embeddedPair';

interface ModelFacts {
  readonly config: ConfigFields;
  readonly hiddenSize: number;
  readonly vocabSize: number;
  /** Bits of most weights. */
  readonly bits: number | undefined;
  /** Names in the folder. */
  readonly files: readonly string[];
  /** Bytes of all files. */
  readonly bytes: number;
  /** Name of the file of the weights, which is the largest. */
  readonly weights: string;
  readonly weightBytes: number;
}

export const embeddedTarget = modelFacts(EMBEDDED_PAIR.targetDirectory);
export const embeddedDrafter = modelFacts(EMBEDDED_PAIR.drafterDirectory);
export const embeddedBytes = embeddedTarget.bytes + embeddedDrafter.bytes;
export const embeddedEndToken = embeddedTarget.config.integer('eos_token_id');
/** Rows of the drafter's block; the first is the anchor. */
export const embeddedBlock = embeddedDrafter.config.integer('block_size');

function modelFacts(directory: string): ModelFacts {
  const config = ConfigFields.read(join(directory, 'config.json'));
  const sized = readdirSync(directory).map((name) => ({ name, bytes: statSync(join(directory, name)).size }));
  const largest = sized.reduce((best, file) => (file.bytes > best.bytes ? file : best));
  return {
    config,
    hiddenSize: config.integer('hidden_size'),
    vocabSize: config.integer('vocab_size'),
    bits: quantisedBits(config),
    files: sized.map(({ name }) => name),
    bytes: sized.reduce((sum, { bytes }) => sum + bytes, 0),
    weights: largest.name,
    weightBytes: largest.bytes,
  };
}
