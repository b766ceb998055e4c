// What the config.json files of the three Gemma fixtures have in common, as it is parsed, and how to parse them with
// other entries.
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import type { DecoderConfig } from '../../server/models/decoder/decoderConfig';
import { readCheckpoint } from './fixtures';
import { withConfig } from './tinyCheckpoint';

export type Entries = Readonly<Record<string, unknown>>;

export const PARSED = {
  hiddenSize: 64,
  numHiddenLayers: 4,
  vocabSize: 256,
  intermediateSize: 128,
  numAttentionHeads: 4,
  numKeyValueHeads: 2,
  headDim: 32,
  rmsNormEps: 1e-6,
  attentionBias: false,
  outputBias: false,
  maxPositionEmbeddings: 512,
  tieWordEmbeddings: true,
  eosTokenIds: [2],
  activation: 'gelu',
  normOffset: 1,
  embeddingScale: 8,
} as const;

type Parse = (directory: string, fields: ConfigFields) => DecoderConfig;

/** Parses the fixture's config.json with `entries` over its own. */
export function parseFixture(parse: Parse, directory: string, entries: Entries = {}): DecoderConfig {
  const { config } = withConfig(readCheckpoint(directory), entries);
  return parse(directory, new ConfigFields('config.json', config));
}
