// Drafters in the form of vLLM's speculators, which describe the network in `transformer_layer_config` and the block at
// the top level. Rewrites such a config.json into the fields of z-lab and DeepSpec, which the loaders read.
import { quoted, type UserError } from '../../rules/userError';
import { isRecord } from '../../rules/json';
import type { ConfigFields } from './configFields';

/** Architecture in the form of z-lab and DeepSpec, by algorithm. */
const ARCHITECTURES = {
  dflash: 'DFlashDraftModel',
  dflash2: 'DFlash2DraftModel',
  dspark: 'DSparkDraftModel',
} as const;

type Algorithm = keyof typeof ARCHITECTURES;

const NETWORK = 'transformer_layer_config';
const FORM_FIELDS = ['speculators_model_type', 'speculators_config', NETWORK];

/** Returns whether a config.json is in this form, of any algorithm. */
export function isSpeculatorsForm(fields: ConfigFields): boolean {
  return FORM_FIELDS.some((name) => fields.has(name));
}

/** Returns whether a config.json is in this form and of a supported algorithm. */
export function isSupportedSpeculator(fields: ConfigFields): boolean {
  return isSpeculatorsForm(fields) && isSupported(algorithmOf(fields));
}

/**
 * Rewrites a config.json of this form into the fields of z-lab and DeepSpec; returns any other form unchanged. Throws
 * UserError for an algorithm that is not supported.
 */
export function publishedForm(fields: ConfigFields): ConfigFields {
  if (!isSpeculatorsForm(fields)) return fields;
  const architecture = requireAlgorithm(fields);
  const { object: network } = fields.nested(NETWORK);
  const outer = Object.fromEntries(Object.entries(fields.object).filter(([name]) => fields.has(name)));
  return fields.with({
    ...network,
    ...outer,
    architectures: [architecture],
    target_layer_ids: targetLayerIds(fields),
    sample_from_anchor: samplesFromAnchor(fields),
    // By default only sliding layers are causal. sliding_window_non_causal makes them non-causal too.
    is_causal: fields.boolean('sliding_window_non_causal', false) ? false : null,
  });
}

/**
 * Returns the architecture of the file's algorithm. Throws UserError, naming the algorithm, if it is not supported.
 */
function requireAlgorithm(fields: ConfigFields): (typeof ARCHITECTURES)[Algorithm] {
  const algorithm = algorithmOf(fields);
  if (isSupported(algorithm)) return ARCHITECTURES[algorithm];
  throw algorithmRefusal(fields, typeof algorithm === 'string' ? algorithm : quoted(algorithm));
}

/** Creates the error for a drafter of an algorithm that is not supported. */
export function algorithmRefusal(fields: ConfigFields, algorithm: string): UserError {
  const names = Object.keys(ARCHITECTURES).join(', ');
  return fields.refusal(`a drafter of the algorithm ${names}`, algorithm, 'choose a drafter of one of these');
}

/** Reads the algorithm; undefined if the file names none. Never throws, as the catalogue reads damaged files too. */
function algorithmOf(fields: ConfigFields): unknown {
  if (fields.has('speculators_model_type')) return fields.raw('speculators_model_type');
  const inner = fields.raw('speculators_config');
  return isRecord(inner) ? inner['algorithm'] : undefined;
}

function isSupported(algorithm: unknown): algorithm is Algorithm {
  return typeof algorithm === 'string' && Object.hasOwn(ARCHITECTURES, algorithm);
}

/** Reads the tapped layers. speculators counts the token table as layer 0. */
function targetLayerIds(fields: ConfigFields): number[] {
  return fields.integers('aux_hidden_state_layer_ids', { min: 1 }).map((id) => id - 1);
}

/**
 * Returns whether the anchor's row drafts too. In files without `sample_from_anchor`, it does if the number of
 * speculative tokens equals the number of rows.
 */
function samplesFromAnchor(fields: ConfigFields): boolean {
  if (fields.has('sample_from_anchor')) return fields.boolean('sample_from_anchor');
  const proposals = fields.part('speculators_config');
  if (!proposals.has('proposal_methods')) return false;
  const [first] = proposals.objects('proposal_methods');
  return first?.raw('speculative_tokens') === fields.integer('block_size');
}
