// Command-line arguments, parsed and checked before anything is loaded, and the pair that they name. Every mistake is
// an InputError.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { DraftLength, DecodeRequest } from '../engine/decode/decode';
import type { Engine } from '../engine/engine';
import { InputError, visibleText } from '../rules/inputError';
import { pairDirectories } from '../hub/pairDirectories';
import { measuredOf, ProfileStore } from '../hosting/profileStore';
import { isInRange, rangeText, whole, type NumberRange } from '../rules/numbers';
import { drafterBitsOf, SERVER_SETTINGS, NO_REMOTE } from '../rules/serverSettings';
import { MAX_TOKENS, samplingNumbers } from '../engine/request/requestOptions';
import { drawsDrafts, type SamplingOptions } from '../engine/request/sampling';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RemoteOverride } from '../lsp/languageServer';
import type { RemoteChoice } from '../remote/remoteEngine';
import { isProgram } from '../rules/remoteAddress';
import { keyFrom } from './apiKey';

/** Options of every command that loads a pair. */
export const PAIR_OPTIONS = {
  target: { type: 'string' },
  drafter: { type: 'string' },
  'drafter-bits': { type: 'string' },
  device: { type: 'string' },
  'draft-length': { type: 'string' },
  strict: { type: 'boolean' },
} as const;

/** `usual` is the draft length when none is given. */
export const pairHelp = (usual: DraftLength): string => `
  --target DIR|NAME     target: a model directory, or a downloaded model (see flashline models); a known pair such as
                        qwen3-4b brings its drafter (default: the built-in pair)
  --drafter DIR|NAME|none
                        drafter: a model directory, a downloaded model, dflash or dspark where a known
                        pair has both, or none (default: that of the built-in or known pair, otherwise none)
  --drafter-bits N      bits per weight of the drafter: 4, 8, 16, stored, or auto, which is 4 on a GPU beside a large
                        packed target and otherwise stored (default: auto)
  --draft-length N|full|adaptive
                        maximum draft tokens per round; 0 decodes plainly, full drafts as many as the drafter can,
                        adaptive picks the length that measures fastest (default: ${String(usual)})
  --device cpu|gpu      processor (default: gpu if there is one)
  --strict              computes in 32-bit floats on a GPU too, so that drafts change no text (slower; CPUs always do)`;

const BITS = ['4', '8', '16', 'stored', 'auto'] as const;

export interface PairArguments {
  readonly target: string | undefined;
  readonly drafter: string | undefined;
  /** `auto` where it is undefined. */
  readonly drafterBits?: (typeof BITS)[number] | undefined;
  readonly device: 'cpu' | 'gpu' | undefined;
  readonly draftLength: DraftLength;
  readonly strict?: boolean;
}

type TextOption = Exclude<keyof typeof PAIR_OPTIONS, 'strict'>;
export type PairValues = Readonly<
  Partial<Record<TextOption, string | undefined>> & { strict?: boolean | undefined }
>;

/** Node's parseArgs, with its complaints reduced to one line. */
export function parseArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // Node's advice follows the first sentence; the user's own text may contain full stops too.
    const got = `"${message.replace(/\.\s(To specify|This command|Did you) .*/s, '')}"`;
    throw new InputError({ expected: 'known options', got, remedy: 'see flashline --help', cause });
  }
}

export function parsePair(values: PairValues, usual: DraftLength = 'full'): PairArguments {
  const { target, drafter, device, 'drafter-bits': bits, 'draft-length': length, strict = false } = values;
  // An unset shell variable does this; falling back to the built-in pair would be a surprise.
  for (const [option, folder] of Object.entries({ target, drafter })) {
    if (folder !== '') continue;
    const expected = `--${option} to be a directory or a model`;
    throw new InputError({ expected, got: 'an empty string', remedy: 'name one or leave it out' });
  }
  return {
    target,
    drafter,
    ...(bits !== undefined && { drafterBits: parseChoice('--drafter-bits', bits, BITS) }),
    device: device === undefined ? undefined : parseChoice('--device', device, ['cpu', 'gpu']),
    draftLength: length === undefined ? usual : parseDraftLength(length),
    ...(strict && { strict }),
  };
}

function parseDraftLength(text: string): DraftLength {
  if (text === 'full' || text === 'adaptive') return text;
  return parseNumber('--draft-length', text, SERVER_SETTINGS.draftLength.range, ', adaptive or full');
}

/**
 * `cacheBytes` is the memory for what decodes have read, as in EngineOptions. The engine is imported here and not at
 * the top of a command, so that help and argument errors work without the native addon.
 */
export async function loadPair(
  { target, drafter, drafterBits, device, strict }: PairArguments,
  cacheBytes?: number,
): Promise<Engine> {
  const { Engine } = await import('../engine/engine');
  const directories = pairDirectories(target, drafter, { measured: measuredOf });
  const pair = { ...directories, drafterBits: drafterBitsOf(drafterBits), strict };
  const profile = new ProfileStore(pair, device ?? 'auto').read();
  const onNote = (note: string): void => void process.stderr.write(`flashline: ${visibleText(note)}\n`);
  return await Engine.load({ ...pair, device, profile, cacheBytes, onNote });
}

export function parseChoice<const T extends string>(option: string, text: string, choices: readonly T[]): T {
  const found = choices.find((each) => each === text);
  if (found !== undefined) return found;
  const expected = `${option} to be ${choices.join(' or ')}`;
  throw new InputError({ expected, got: `"${text}"`, remedy: 'choose one of them' });
}

/** A whole number in decimal digits. */
export function parseCount(option: string, text: string, { min, max }: NumberRange): number {
  return parseNumber(option, text, whole(min, max));
}

/** A number in decimal digits, without an exponent. `or` lists the option's other values, for the error. */
export function parseNumber(option: string, text: string, range: NumberRange, or = ''): number {
  const form = range.kind === 'whole' ? /^\d{1,15}$/ : /^-?(\d{1,9}(\.\d{1,9})?|\.\d{1,9})$/;
  const value = form.test(text) ? Number(text) : NaN;
  if (isInRange(value, range)) return value;
  const expected = `${option} to be ${rangeText(range)}${or}`;
  throw new InputError({ expected, got: `"${text}"`, remedy: 'correct the number' });
}

// The arguments that control how tokens are chosen, on the command line and in a line of a batch, and the decode
// request that they make. All are checked before a model is loaded, except for ids, which depend on its vocabulary.

/** For every command that samples. */
export const SAMPLING_OPTIONS = {
  temperature: { type: 'string' },
  'top-k': { type: 'string' },
  'top-p': { type: 'string' },
  'min-p': { type: 'string' },
  'repetition-penalty': { type: 'string' },
  'presence-penalty': { type: 'string' },
  'frequency-penalty': { type: 'string' },
  'penalty-window': { type: 'string' },
  forbid: { type: 'string', multiple: true },
  seed: { type: 'string' },
  acceptance: { type: 'string' },
} as const;

/** For commands that show what was decoded. */
export const OUTPUT_OPTIONS = {
  ...SAMPLING_OPTIONS,
  'confidence-threshold': { type: 'string' },
  logprobs: { type: 'string' },
  'repetition-guard': { type: 'boolean' },
  'no-repetition-guard': { type: 'boolean' },
} as const;

/** In the order in which they are applied to a row of logits. */
export const SAMPLING_HELP = `
  --forbid ID           never emit the token with this id; may be repeated
  --repetition-penalty X
                        divide positive logits of recent tokens by X, multiply negative ones by it (default: 1)
  --presence-penalty X  subtract X from the logits of recent tokens (default: 0)
  --frequency-penalty X
                        subtract X for each time that a token occurs among the recent ones (default: 0)
  --penalty-window N    number of tokens that count as recent, including the prompt's (default: 20)
  --top-p X             keep the most probable tokens that together reach probability X (default: 1, all)
  --min-p X             keep tokens at least X times as probable as the most probable one (default: 0, all)
  --top-k N             keep the N most probable tokens (default: 0, all)
  --temperature X       draw tokens at random, more so the higher X is; 0 takes the most probable (default: 0)
  --seed N              seed of the draws; the same seed and options give the same text (default: random)
  --acceptance match|rejection
                        how draft tokens are accepted when tokens are drawn: match keeps those that equal the
                        target's own draw, rejection uses rejection sampling, with full as the default
                        draft length (default: match)`;

export const outputHelp = (guard: 'on' | 'off'): string => `
  --confidence-threshold X
                        verify drafts up to the first one that the drafter is less sure of than X, from 0 to 1;
                        DSpark drafters have a head for it (default: 0, all)${SAMPLING_HELP}
  --logprobs N          add each token's log probability and the N most probable tokens to the JSON; decodes
                        without drafts
  --repetition-guard    stop a text that keeps repeating itself${guard === 'on' ? ' (the default)' : ''}
  --no-repetition-guard do not stop it${guard === 'off' ? ' (the default)' : ''}`;

const FORBIDDEN = whole(0, 2 ** 31 - 1);

interface SamplingValues extends Readonly<Record<string, unknown>> {
  readonly forbid?: readonly string[] | undefined;
  readonly acceptance?: string | undefined;
}

/** Only the options that were given. */
export function samplingArguments(values: SamplingValues): SamplingOptions {
  const { forbid, acceptance } = values;
  return {
    ...samplingNumbers((name, range) => {
      const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const text = values[option];
      return typeof text === 'string' ? parseNumber(`--${option}`, text, range) : undefined;
    }),
    ...(forbid && { forbiddenTokens: forbid.map((id) => parseNumber('--forbid', id, FORBIDDEN)) }),
    ...(acceptance !== undefined && {
      acceptance: parseChoice('--acceptance', acceptance, SERVER_SETTINGS.generate.acceptance.choices),
    }),
  };
}

interface OutputValues extends SamplingValues, PairValues {
  readonly json: boolean;
  readonly 'max-tokens': string;
  readonly 'confidence-threshold'?: string | undefined;
  readonly 'repetition-guard'?: boolean | undefined;
  readonly 'no-repetition-guard'?: boolean | undefined;
}

/** The request of a command that shows its output. `usual` applies where no option is given. */
export function outputArguments(
  values: OutputValues,
  usual: { readonly draftLength: DraftLength; readonly guard: 'on' | 'off' },
) {
  const sampling = samplingArguments(values);
  if (sampling.logprobs !== undefined && !values.json) {
    const remedy = 'add it, as only the JSON shows log probabilities';
    throw new InputError({ expected: '--json with --logprobs', got: 'none', remedy });
  }
  // The outcome of drawn drafts depends on where rounds end; a fixed length makes a text repeatable from its seed.
  const pair = parsePair(values, drawsDrafts(sampling) ? 'full' : usual.draftLength);
  const limits = {
    maxTokens: parseNumber('--max-tokens', values['max-tokens'], MAX_TOKENS),
    draftLength: pair.draftLength,
    confidenceThreshold: parseThreshold(values['confidence-threshold']),
    sampling,
    repetitionGuard: parseGuard(values, usual.guard),
  };
  requireRepeatable(limits);
  return { pair, limits };
}

function parseThreshold(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseNumber('--confidence-threshold', text, { min: 0, max: 1 });
}

function parseGuard(values: OutputValues, usual: 'on' | 'off'): boolean {
  const [on, off] = [values['repetition-guard'], values['no-repetition-guard']];
  if (on && off) {
    const expected = '--repetition-guard or --no-repetition-guard';
    throw new InputError({ expected, got: 'both', remedy: 'choose one of them' });
  }
  return on ?? (off ? false : usual === 'on');
}

export function usesChance({ temperature = 0 }: SamplingOptions): boolean {
  return temperature > 0;
}

/** Throws InputError where a seed would promise a repeatable text although timing decides it. */
export function requireRepeatable({ sampling = {}, draftLength }: DecodeRequest): void {
  if (draftLength !== 'adaptive' || sampling.seed === undefined || !drawsDrafts(sampling)) return;
  throw new InputError({
    expected: 'a --draft-length of full or a number with a seed and --acceptance rejection',
    got: 'adaptive, which depends on timing',
    remedy: 'give a fixed length, leave out the seed, or use --acceptance match',
  });
}

// The options that name a remote engine. Its key comes from the environment or a file, never from the command line,
// which other users of a machine can see.

export const REMOTE_OPTIONS = {
  remote: { type: 'string' },
  'remote-model': { type: 'string' },
  'remote-tokenizer': { type: 'string' },
  'remote-key-file': { type: 'string' },
  'remote-drafter': { type: 'string' },
} as const;

export const REMOTE_HELP = `
  --remote URL          send the prompt to a server with OpenAI's API, such as http://127.0.0.1:8000, and load no pair;
                        drafts and the repetition guard are then up to the server; llama-server, or its path, starts
                        llama.cpp's own on this machine
  --remote-model NAME   name of the model on that server (default: its only model); for llama-server a GGUF file, or a
                        name on Hugging Face, which it downloads
  --remote-tokenizer DIR|NAME
                        tokenizer of the model: a folder, a downloaded model, a repository in the cache, or built-in
                        (default: none; the server fills in before a suffix)
  --remote-key-file FILE
                        file with the API key (default: FLASHLINE_REMOTE_API_KEY, if it is set)
  --remote-drafter KIND|KIND:FILE|KIND:NAME
                        llama-server's kind of drafts, such as ngram-mod or draft-dflash, and its drafter (default: none)`;

type RemoteValues = Readonly<Partial<Record<keyof typeof REMOTE_OPTIONS, string | undefined>>>;

/** Undefined without --remote. */
export function remoteArguments(values: RemoteValues & PairValues): RemoteChoice | undefined {
  const { 'remote-tokenizer': tokenizer = '', 'remote-drafter': drafter } = values;
  const [url, model = ''] = [values.remote, values['remote-model']].map(
    // Programs and files by their whole paths, from wherever this runs.
    (name) => (name !== undefined && existsSync(name) ? resolve(name) : name),
  );
  const named = (['target', 'drafter', 'drafter-bits', 'device', 'strict'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (url !== undefined && named !== undefined)
    throw new InputError({
      expected: 'either --remote or a pair',
      got: `--${named} too`,
      remedy: 'leave one out',
    });
  const details = ['remote-model', 'remote-tokenizer', 'remote-key-file', 'remote-drafter'] as const;
  const detail = details.find((name) => values[name]);
  if (url === undefined && detail !== undefined)
    throw new InputError({ expected: `--remote with --${detail}`, got: 'none', remedy: 'give the address' });
  if (url === undefined) return undefined;
  if (drafter !== undefined && !isProgram(url))
    throw new InputError({
      expected: '--remote llama-server with --remote-drafter',
      got: 'an address',
      remedy: 'leave one out',
    });
  const key = keyFrom(values['remote-key-file'], 'FLASHLINE_REMOTE_API_KEY');
  return { url, model, tokenizer, ...(drafter !== undefined && { drafter }), key };
}

/** What the language server gets: without --remote no remote engine, whatever its client's settings say. */
export function remoteSettings(choice: RemoteChoice | undefined): RemoteOverride {
  if (choice === undefined) return { remote: NO_REMOTE };
  const { key, drafter = '', ...named } = choice;
  const own = isProgram(choice.url) && { drafter };
  return { remote: { ...NO_REMOTE, ...named }, remoteKey: key, ...own };
}

// Ctrl+C ends a decode at its next round; what was generated so far is kept. A second one kills.

export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => {
    process.exitCode = 130;
    controller.abort('cancelled');
  });
  return controller.signal;
}
