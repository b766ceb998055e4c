// Parses the options of `flashline models` and resolves the name of a model to a known pair, with the bits of its
// target, or to one repository. Every mistake is a UserError.
import {
  drafterName,
  drafterOf,
  knownPairs,
  pairById,
  pairId,
  variantsOf,
  type Bits,
  type KnownDrafter,
  type KnownPair,
  type PairVariant,
} from '../../hub/knownPairs';
import { isRepositoryName } from '../../hub/repositoryCache';
import { modelCacheFolder } from '../../machine/folders';
import { WrongValue } from '../../rules/userError';
import { parseArguments } from '../arguments';

export const MODELS_HELP = `flashline models [list|info|pull|remove|verify] [options]

Manages the models on this machine, in the model cache that other Hugging Face tools share. NAME is a known pair (a
target and the drafter made for it), such as qwen3-4b, or a repository, such as mlx-community/Qwen3-4B-4bit. Only pull
uses the network, and only for what is missing.

  list                  list the known pairs, what they need and which one suits this machine best, and any other
                        downloaded models (the default)
  info NAME             show details of a pair, or the files of a downloaded repository
  pull NAME             download a target and its drafter, or one repository; resumes an interrupted download
  remove NAME           remove the model from the cache; keeps a drafter that another downloaded target needs
  verify NAME           check all files against their checksums; damaged ones are removed, so that pull downloads
                        them again

  --bits 4|8|16         bits per weight of a pair's target (default: the fewest for pull, otherwise all)
  --drafter KIND        dflash, dflash2, dspark or a repository, for a target with several drafters (default: the first
                        one for pull, otherwise all)
  --update              pull the newest revision even if another one is downloaded
  --force               pull despite problems such as too little memory or an unknown model type, except a full disk
  --endpoint URL        mirror of the Hub (default: HF_ENDPOINT, otherwise https://huggingface.co)
  --cache-dir DIR       model cache (default: HF_HUB_CACHE, otherwise HF_HOME/hub)
  --json                print one JSON value

For gated models, the Hugging Face token comes from HF_TOKEN or from the login of other tools. Proxies come from
HTTPS_PROXY and NO_PROXY, additional certificates from NODE_EXTRA_CA_CERTS.`;

const ACTIONS = ['list', 'info', 'pull', 'remove', 'verify'] as const;
export type Action = (typeof ACTIONS)[number];

/** Output of an action: a value for programs and lines for people. */
export interface Printout {
  readonly value: unknown;
  readonly lines: readonly string[];
}

interface ModelChoice {
  /** Name followed by its options, for messages that suggest the next command. */
  readonly name: string;
  /** Chosen variants of a known pair: by drafter, and for each drafter in ascending bits. Empty for a repository. */
  readonly variants: readonly PairVariant[];
  /** All chosen repositories, targets before drafters. */
  readonly repositories: readonly string[];
}

/** Parsed arguments. For the action `list`, the name is '' and the lists of ModelChoice are empty. */
export interface ModelsArguments extends ModelChoice {
  readonly action: Action;
  readonly cache: string;
  readonly endpoint: string | undefined;
  readonly json: boolean;
  readonly update: boolean;
  readonly force: boolean;
}

export function parseModelsArguments(args: string[]): ModelsArguments {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: {
      bits: { type: 'string' },
      drafter: { type: 'string' },
      update: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
      endpoint: { type: 'string' },
      'cache-dir': { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const [word = 'list', name, ...more] = positionals;
  const action = ACTIONS.find((candidate) => candidate === word);
  if (action === undefined) {
    const expected = `models followed by ${ACTIONS.join(', ')}`;
    throw new WrongValue({ expected, got: `"${word}"`, remedy: 'see flashline models --help' });
  }
  const extra = action === 'list' ? name : more[0];
  if (extra !== undefined) {
    const expected = action === 'list' ? 'nothing after list' : `one name after ${action}`;
    throw new WrongValue({ expected, got: `"${extra}"`, remedy: 'leave it out' });
  }
  if (values['cache-dir'] === '') {
    const expected = '--cache-dir to be a folder';
    throw new WrongValue({ expected, got: 'an empty string', remedy: 'name one or leave it out' });
  }
  const { endpoint, json, update, force } = values;
  const filter = { bits: parseBits(values.bits), drafter: values.drafter };
  const choice = action === 'list' ? { name: '', variants: [], repositories: [] } : modelChoice(name, filter);
  return { action, ...choice, cache: modelCacheFolder(values['cache-dir']), endpoint, json, update, force };
}

function parseBits(text: string | undefined): Bits | undefined {
  const bits = ([4, 8, 16] as const).find((value) => String(value) === text);
  if (bits !== undefined || text === undefined) return bits;
  throw new WrongValue({
    expected: '--bits to be 4, 8 or 16',
    got: `"${text}"`,
    remedy: 'choose one of them',
  });
}

interface VariantFilter {
  readonly bits: Bits | undefined;
  /** Kind or repository of the drafter. */
  readonly drafter: string | undefined;
}

function modelChoice(name: string | undefined, filter: VariantFilter): ModelChoice {
  const pair = name === undefined ? undefined : pairById(name);
  if (pair !== undefined) return pairChoice(pair, filter);
  if (name === undefined || !isRepositoryName(name)) {
    throw new WrongValue({
      expected: `a pair (${knownPairs.map(pairId).join(', ')}) or a repository such as Qwen/Qwen3-4B`,
      got: name === undefined ? 'nothing' : `"${name}"`,
      remedy: 'choose one from flashline models list',
    });
  }
  const option = filter.bits !== undefined ? 'bits' : filter.drafter !== undefined ? 'drafter' : undefined;
  if (option === undefined) return { name, variants: [], repositories: [name] };
  const remedy =
    option === 'bits' ? 'name the repository with that many bits' : 'name the repository of the drafter';
  throw new WrongValue({ expected: `--${option} with a pair only`, got: `the repository ${name}`, remedy });
}

/** Returns the variants of a pair that match the filter; an empty filter matches all. Throws UserError if none does. */
function pairChoice(pair: KnownPair, filter: VariantFilter): ModelChoice {
  const drafter = filter.drafter === undefined ? undefined : requireDrafter(pair, filter.drafter);
  const variants = variantsOf(pair).filter(
    ({ bits, knownDrafter }) => bits === (filter.bits ?? bits) && knownDrafter === (drafter ?? knownDrafter),
  );
  if (variants.length === 0) {
    const published = new Set(variantsOf(pair).map(({ bits }) => bits));
    const expected = `--bits of ${pairId(pair)} to be ${[...published].join(' or ')}`;
    throw new WrongValue({ expected, got: String(filter.bits), remedy: 'choose one or leave it out' });
  }
  const [targets, drafters] = [0, 1].map((i) => variants.flatMap((variant) => variant.repositories[i] ?? []));
  const repositories = [...(targets ?? []), ...(drafters ?? [])];
  const name = [
    pairId(pair),
    ...(filter.bits === undefined ? [] : ['--bits', filter.bits]),
    ...(drafter === undefined ? [] : ['--drafter', drafterName(pair, drafter)]),
  ].join(' ');
  return { name, variants, repositories: [...new Set(repositories)] };
}

function requireDrafter(pair: KnownPair, name: string): KnownDrafter {
  const found = drafterOf(pair, name);
  if (found !== undefined) return found;
  const kinds = [...new Set(pair.drafters.map(({ kind }) => kind.toLowerCase()))];
  if (kinds.length === 0) {
    const expected = `no --drafter, as none is published for ${pairId(pair)}`;
    throw new WrongValue({ expected, got: `"${name}"`, remedy: 'leave it out' });
  }
  const expected = `--drafter of ${pairId(pair)} to be ${kinds.join(' or ')}`;
  throw new WrongValue({ expected, got: `"${name}"`, remedy: 'choose one or leave it out' });
}
