// The options of `flashline models`, and what a person means by the name of a model: a known pair, with the bits of its
// target, or one repository. Every mistake is an InputError.
import { knownPairs, pairById, pairId, variantsOf, type Bits, type PairVariant } from '../../hub/knownPairs';
import { isRepositoryName } from '../../hub/repository';
import { cacheFolder } from '../../hub/repositoryCache';
import { InputError } from '../../inputError';
import { parseArguments } from '../arguments';

export const MODELS_HELP = `flashline models [list|info|pull|remove|verify] [options]

The models on this machine, in the cache that other Hugging Face tools use too. A model is a known pair, such as
qwen3-4b, or a repository, such as mlx-community/Qwen3-4B-4bit. Only pull needs a network, and only for what is missing.

  list                  the known pairs, what they need, and which suits this machine; other downloaded models
  info NAME             what is known of a pair, or the files of a downloaded repository
  pull NAME             downloads a target and its drafter, or one repository; goes on where it was interrupted
  remove NAME           removes it from the cache, and what nothing else there needs
  verify NAME           checks all bytes; what is damaged is removed, so that pull gets it again

  --bits 4|8|16         of the target of a pair (default: pull 4, else all that are there)
  --update              pull the newest revision although one is there
  --force               pull in spite of too little memory, or a type that is not known to load
  --endpoint URL        a mirror of the hub (default: HF_ENDPOINT, else https://huggingface.co)
  --cache-dir DIR       the cache (default: HF_HUB_CACHE, else HF_HOME/hub)
  --json                print one JSON value

The token for gated models comes from HF_TOKEN or from the login of other tools, proxies from HTTPS_PROXY and NO_PROXY,
further certificates from NODE_EXTRA_CA_CERTS.`;

const ACTIONS = ['list', 'info', 'pull', 'remove', 'verify'] as const;
export type Action = (typeof ACTIONS)[number];

/** What to print: a value for programs and lines for people. */
export interface Printout {
  readonly value: unknown;
  readonly lines: readonly string[];
}

interface ModelChoice {
  /** As it was typed, for what to type next. */
  readonly name: string;
  /** Of a known pair, all that are meant, with the fewest bits first. Empty for a repository. */
  readonly variants: readonly PairVariant[];
  /** All that are meant, targets before drafters. */
  readonly repositories: readonly string[];
}

/** Nothing is chosen for a list. */
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
      update: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
      endpoint: { type: 'string' },
      'cache-dir': { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const [word = 'list', name, ...more] = positionals;
  const action = ACTIONS.find((each) => each === word);
  if (action === undefined) {
    const expected = `models with ${ACTIONS.join(', ')}`;
    throw new InputError({ expected, got: `"${word}"`, remedy: 'see flashline models --help' });
  }
  const extra = action === 'list' ? name : more[0];
  if (extra !== undefined) {
    const expected = action === 'list' ? 'nothing after list' : `one name after ${action}`;
    throw new InputError({ expected, got: `"${extra}"`, remedy: 'leave it out' });
  }
  if (values['cache-dir'] === '') {
    const expected = '--cache-dir to be a folder';
    throw new InputError({ expected, got: 'an empty name', remedy: 'leave it out or name one' });
  }
  const { endpoint, json, update, force } = values;
  const bits = parseBits(values.bits);
  const choice = action === 'list' ? { name: '', variants: [], repositories: [] } : modelChoice(name, bits);
  return { action, ...choice, cache: cacheFolder(values['cache-dir']), endpoint, json, update, force };
}

function parseBits(text: string | undefined): Bits | undefined {
  const bits = ([4, 8, 16] as const).find((each) => String(each) === text);
  if (bits !== undefined || text === undefined) return bits;
  throw new InputError({ expected: '--bits 4, 8 or 16', got: `"${text}"`, remedy: 'choose one of them' });
}

/** Without bits all variants of a pair are meant. */
function modelChoice(name: string | undefined, bits: Bits | undefined): ModelChoice {
  const pair = name === undefined ? undefined : pairById(name);
  if (pair !== undefined) {
    const variants = variantsOf(pair).filter((variant) => bits === undefined || variant.bits === bits);
    const repositories = new Set(variants.flatMap((variant) => variant.repositories));
    return { name: pairId(pair), variants, repositories: [...repositories] };
  }
  if (name === undefined || !isRepositoryName(name)) {
    throw new InputError({
      expected: `a pair (${knownPairs.map(pairId).join(', ')}) or a repository such as Qwen/Qwen3-4B`,
      got: name === undefined ? 'nothing' : `"${name}"`,
      remedy: 'choose one, see flashline models list',
    });
  }
  if (bits === undefined) return { name, variants: [], repositories: [name] };
  const remedy = 'name the repository that has so many bits';
  throw new InputError({ expected: '--bits with a pair only', got: `the repository ${name}`, remedy });
}
