// Quantisation in the formats of other tools, which Flashline cannot read. It is recognised by the fields of
// config.json and of the files that these tools write beside it, so that such weights are not even downloaded.
import type { UserError } from '../../rules/userError';
import { fieldsOf, isRecord, type Fields } from '../../rules/json';
import type { ConfigFields } from './configFields';

/** Files that describe a quantisation beside config.json, and the format of the tool that writes them. */
const FILES: Readonly<Record<string, string>> = {
  'hf_quant_config.json': 'ModelOpt',
  'quantize_config.json': 'GPTQ',
  'quant_config.json': 'AWQ',
  'quantization_config.json': 'an unknown format',
};
export const QUANTISATION_FILES: readonly string[] = Object.keys(FILES);
/** Fields of config.json that describe a quantisation; mlx-lm writes the first, and a copy of it as the second. */
const QUANTISATION_FIELDS = ['quantization', 'quantization_config', 'compression_config'];
/** Fields whose value names a format. */
const FORMAT_FIELDS = ['quant_method', 'quant_algo', 'quant_type', 'checkpoint_format', 'format', 'fmt'];
/** Name that some tools give to mlx-lm's format. */
const MLX = 'mlx';
/** Fields that only other tools write, with their formats. */
const TOOL_FIELDS: Readonly<Record<string, string>> = {
  desc_act: 'GPTQ',
  damp_percent: 'GPTQ',
  zero_point: 'AWQ',
  q_group_size: 'AWQ',
  w_bit: 'AWQ',
  load_in_4bit: 'bitsandbytes',
  load_in_8bit: 'bitsandbytes',
  bnb_4bit_quant_type: 'bitsandbytes',
  config_groups: 'compressed-tensors',
  activation_scheme: 'FP8',
  weight_block_size: 'FP8',
};
/** Types of quantised weights: floats of at most 8 bits, such as torch.float8_e4m3fn, and all integers. */
const NARROW_TYPE = /^(torch\.)?(float8|fp8|float4|fp4|mxfp|nvfp|u?int)/i;
export const AFFINE_REMEDY =
  'use a checkpoint of mlx-community that is quantised affinely, such as one with 4 or 8 bits';

/** Adds the quantisation in one of the other files to a config that has none; errors about it name that file. */
export function withQuantisationOfOtherFiles(
  config: ConfigFields,
  otherFiles: readonly ConfigFields[],
): ConfigFields {
  if (QUANTISATION_FIELDS.some((name) => config.isSet(name))) return config;
  const fields = otherFiles.find(
    ({ object, source }) => namesMlx(object) || formatOf(object, formatOfFile(source)) !== undefined,
  );
  return fields ? config.withNested('quantization_config', fields) : config;
}

/** Throws UserError for weights that are quantised in any format but that of mlx-lm. */
export function requireMlxQuantisation(config: ConfigFields): void {
  for (const part of [config, config.part('text_config')]) {
    const holder = QUANTISATION_FIELDS.find((name) => part.isSet(name));
    if (holder !== undefined && isRecord(part.raw(holder))) {
      const fields = part.nested(holder);
      const format = formatOf(fields.object, formatOfFile(fields.source));
      if (format !== undefined) throw refusal(fields, format);
    }
    for (const name of ['dtype', 'torch_dtype']) {
      const type = part.raw(name);
      if (typeof type === 'string' && NARROW_TYPE.test(type)) throw refusal(part, `${name} ${type}`);
    }
  }
}

/**
 * Returns whether the fields say, in the form of another tool, that the weights are not quantised: such a tool can
 * quantise only the KV cache.
 */
export function quantisesNothing({ object }: ConfigFields): boolean {
  return isUnquantised(innerFields(object));
}

function isUnquantised(inner: Fields): boolean {
  return ('quant_algo' in inner && inner['quant_algo'] === null) || inner['format'] === 'dense';
}

function refusal(fields: ConfigFields, format: string): UserError {
  return fields.refusal('affine quantisation as mlx-lm writes it', format, AFFINE_REMEDY);
}

/**
 * Returns the name of the format; undefined for mlx-lm's, and for weights that are not quantised. `fileFormat` is used
 * if the fields do not name one.
 */
function formatOf(object: Fields, fileFormat?: string): string | undefined {
  const inner = innerFields(object);
  if (isUnquantised(inner)) return undefined;
  const producer = fieldsOf(object['producer'])['name'];
  const formats = FORMAT_FIELDS.map((name) => inner[name]).filter((value) => !isMlx(value));
  const names = [...formats, producer].filter((name) => typeof name === 'string' && name !== '');
  if (names.length > 0) return [...new Set(names)].join(', ');
  const toolField = Object.keys(TOOL_FIELDS).find((name) => name in inner);
  if (toolField !== undefined) return TOOL_FIELDS[toolField];
  return Object.keys(inner).length > 0 && !namesMlx(object) ? fileFormat : undefined;
}

function namesMlx(object: Fields): boolean {
  return FORMAT_FIELDS.some((name) => isMlx(innerFields(object)[name]));
}

function isMlx(format: unknown): boolean {
  return typeof format === 'string' && format.toLowerCase() === MLX;
}

/** Returns the fields that describe the format, which ModelOpt nests once more. */
function innerFields(object: Fields): Fields {
  const inner = fieldsOf(object['quantization']);
  return Object.keys(inner).length > 0 ? inner : object;
}

/**
 * Returns the format that the name of a file implies; undefined for config.json. `source` is the name in errors: a path
 * or "FILE of REPOSITORY".
 */
function formatOfFile(source: string): string | undefined {
  const name = QUANTISATION_FILES.find((file) => new RegExp(`(^|[/\\\\ ])${file}( of |$)`).test(source));
  return name === undefined ? undefined : FILES[name];
}
