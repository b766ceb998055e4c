// How a checkpoint is quantised: mlx-community's `quantization` object with per-path overrides.
// Affine only; the formats of other tools are refused by name.
import type { InputError } from '../inputError';
import type { ConfigFields } from './configFields';

export interface QuantisationParameters {
  readonly groupSize: number;
  readonly bits: number;
}

const BITS = [2, 3, 4, 5, 6, 8];
const GROUP_SIZES = [32, 64, 128];

/** Parameters of a module, or undefined if it is kept dense. Takes every spelling of its path. */
export type Quantisation = (...paths: readonly string[]) => QuantisationParameters | undefined;

/** Reads `quantization` (or its copy `quantization_config`); an absent object means nothing is quantised. */
export function parseQuantisation(config: ConfigFields): Quantisation {
  const name = ['quantization', 'quantization_config'].find((field) => config.has(field));
  if (name === undefined) return () => undefined;
  const fields = config.nested(name);
  if (fields.has('quant_method')) {
    throw unsupported(fields, 'affine quantisation as mlx-lm writes it', fields.string('quant_method'));
  }
  const whole = parseParameters(fields);
  const overrides = new Map<string, QuantisationParameters | undefined>();
  for (const path of fields.names()) {
    const entry = fields.raw(path);
    if (entry === false) overrides.set(path, undefined);
    else if (entry === true) overrides.set(path, whole);
    else if (typeof entry === 'object' && entry !== null)
      overrides.set(path, parseParameters(fields.nested(path)));
  }
  return (...paths) => {
    const path = paths.find((spelling) => overrides.has(spelling));
    return path === undefined ? whole : overrides.get(path);
  };
}

function parseParameters(fields: ConfigFields): QuantisationParameters {
  if (fields.has('mode') && fields.string('mode') !== 'affine') {
    throw unsupported(fields, "mode 'affine'", fields.string('mode'));
  }
  const bits = fields.integer('bits');
  const groupSize = fields.integer('group_size');
  if (!BITS.includes(bits)) throw unsupported(fields, `bits of ${BITS.join(', ')}`, String(bits));
  if (!GROUP_SIZES.includes(groupSize)) {
    throw unsupported(fields, `a group_size of ${GROUP_SIZES.join(', ')}`, String(groupSize));
  }
  return { groupSize, bits };
}

function unsupported(fields: ConfigFields, expected: string, got: string): InputError {
  return fields.refusal(
    expected,
    got,
    'use a checkpoint of mlx-community that is quantised affinely, such as one with 4 or 8 bits',
  );
}
