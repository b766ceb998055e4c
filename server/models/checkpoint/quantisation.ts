// The quantisation of a checkpoint: mlx-community's `quantization` object with overrides per module. Only affine
// quantisation is supported; the formats of other tools are refused by name.
import type { UserError } from '../../rules/userError';
import { isRecord } from '../../rules/json';
import type { ConfigFields } from './configFields';
import { AFFINE_REMEDY, quantisesNothing, requireMlxQuantisation } from './foreignQuantisation';

export interface QuantisationParameters {
  readonly groupSize: number;
  readonly bits: number;
}

/** Quantisation of a module as config.json describes it. */
export interface StoredQuantisation {
  readonly bits: number;
  /** Inputs per scale; undefined if only the shapes of the tensors show it. */
  readonly groupSize: number | undefined;
}

const BITS = [2, 3, 4, 5, 6, 8];
export const GROUP_SIZES = [32, 64, 128];

/** Returns the quantisation of a module; undefined if it is dense. */
export type Quantisation = (path: string) => StoredQuantisation | undefined;

/** Wrapper modules, which converters add to the names of tensors and to config.json, but not always to both. */
const WRAPPERS = /^((model|language_model|text_model)\.)+/;

/** Parses `quantization` or its copy `quantization_config`; without either, nothing is quantised. Throws UserError. */
export function parseQuantisation(config: ConfigFields): Quantisation {
  requireMlxQuantisation(config);
  const name = ['quantization', 'quantization_config'].find((field) => config.isSet(field));
  if (name === undefined) return () => undefined;
  const fields = config.nested(name);
  if (quantisesNothing(fields)) return () => undefined;
  const modelWide = parseParameters(fields);
  const overrides = new Map<string, StoredQuantisation | undefined>();
  for (const module of fields.names()) {
    const entry = fields.raw(module);
    const path = module.replace(WRAPPERS, '');
    if (entry === false) overrides.set(path, undefined);
    else if (entry === true) overrides.set(path, modelWide);
    else if (isRecord(entry)) overrides.set(path, parseParameters(fields.nested(module), modelWide.bits));
  }
  return (module) => {
    const path = module.replace(WRAPPERS, '');
    return overrides.has(path) ? overrides.get(path) : modelWide;
  };
}

/** Parses the whole object or, with `defaultBits`, an override, which can omit its bits or its group size. */
function parseParameters(fields: ConfigFields, defaultBits?: number): StoredQuantisation {
  if (fields.has('mode') && fields.string('mode') !== 'affine') {
    throw unsupported(fields, "mode 'affine'", fields.string('mode'));
  }
  const isOverride = defaultBits !== undefined;
  const bits = fields.integer('bits', isOverride ? { fallback: defaultBits } : {});
  if (!BITS.includes(bits)) throw unsupported(fields, `bits of ${BITS.join(', ')}`, String(bits));
  if (isOverride && !fields.has('group_size')) return { groupSize: undefined, bits };
  const groupSize = fields.integer('group_size');
  if (GROUP_SIZES.includes(groupSize)) return { groupSize, bits };
  throw unsupported(fields, `a group_size of ${GROUP_SIZES.join(', ')}`, String(groupSize));
}

function unsupported(fields: ConfigFields, expected: string, got: string): UserError {
  return fields.refusal(expected, got, AFFINE_REMEDY);
}
