// The options of `flashline models`, and what they mean. Every mistake is an InputError.
import type { Bits } from '../../hub/pairVariant';
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

export const ACTIONS = ['list', 'info', 'pull', 'remove', 'verify'] as const;
export type Action = (typeof ACTIONS)[number];

export interface ModelsArguments {
  readonly action: Action;
  readonly name: string | undefined;
  /** Of the target of a pair. */
  readonly bits: Bits | undefined;
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
  return { action, name, bits, cache: cacheFolder(values['cache-dir']), endpoint, json, update, force };
}

function parseBits(text: string | undefined): Bits | undefined {
  const bits = ([4, 8, 16] as const).find((each) => String(each) === text);
  if (bits !== undefined || text === undefined) return bits;
  throw new InputError({ expected: '--bits 4, 8 or 16', got: `"${text}"`, remedy: 'choose one of them' });
}
