// What all Gemma networks have in common, as far as config.json goes: norms stored less 1, scaled embeddings, and a
// gate that goes through GELU. Knows no single generation.
import type { ConfigFields } from './configFields';
import { parseDecoderFields, requireValue, type DecoderConfig } from './decoderConfig';
import { InputError } from '../inputError';

/** The first files say gelu where the networks were trained with its tanh form. */
const ACTIVATIONS: readonly unknown[] = ['gelu_pytorch_tanh', 'gelu'];

/** Everything but what differs between the generations. */
export function parseGemmaFields(
  directory: string,
  fields: ConfigFields,
): Omit<DecoderConfig, 'headNorms' | 'rope'> {
  for (const name of ['hidden_act', 'hidden_activation']) requireGelu(fields, name);
  requireValue(fields, 'use_bidirectional_attention', false);
  const common = parseDecoderFields(directory, fields);
  return {
    ...common,
    activation: 'gelu',
    normOffset: 1,
    embeddingScale: Math.sqrt(common.hiddenSize),
  };
}

function requireGelu(fields: ConfigFields, name: string): void {
  if (!fields.has(name) || ACTIVATIONS.includes(fields.raw(name))) return;
  throw new InputError({
    expected: `${name} ${ACTIVATIONS.join(' or ')} in ${fields.source}`,
    got: JSON.stringify(fields.raw(name)),
    remedy: 'use a checkpoint of the published form',
  });
}
