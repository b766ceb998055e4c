// Mistral: the Llama shape without biases, whatever its config.json says, and with a window in the first releases.
import type { ConfigFields } from '../checkpoint/configFields';
import { parseDecoderConfig, type DecoderConfig } from '../decoder/decoderConfig';

/** The defaults of transformers. A window of null, as in later releases, is none. */
const USUAL = { max_position_embeddings: 131072 };
const USUAL_WINDOW = 4096;

export function parseMistralConfig(directory: string, file: ConfigFields): DecoderConfig {
  const hasWindow = file.raw('sliding_window') !== undefined;
  const fields = file.withUsual(USUAL).with(hasWindow ? {} : { sliding_window: USUAL_WINDOW });
  const noBias = { attentionBias: false, outputBias: false };
  if (!fields.isSet('sliding_window')) return { ...parseDecoderConfig(directory, fields), ...noBias };
  const config = parseDecoderConfig(directory, fields, {
    other: 'sliding_attention',
    // Where the file has a window but does not name the layers that have it, all do.
    every: Infinity,
  });
  const sliding = { rope: config.rope, window: fields.integer('sliding_window') };
  return { ...config, ...noBias, sliding };
}
