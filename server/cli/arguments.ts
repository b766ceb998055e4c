// Command-line arguments, parsed and checked before anything is loaded, and the pair that they name. Every mistake is an
// InputError.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { DraftLength } from '../engine/decode';
import type { Engine } from '../engine/engine';
import { InputError } from '../inputError';
import { pairDirectories } from '../hub/pairDirectories';
import { ProfileStore } from '../profileStore';
import { isInRange, rangeText, whole, type NumberRange } from '../rules/numberRange';
import { drafterBitsOf, SERVER_SETTINGS } from '../rules/serverSettings';

/** Options of every command that loads a pair. */
export const PAIR_OPTIONS = {
  target: { type: 'string' },
  drafter: { type: 'string' },
  'drafter-bits': { type: 'string' },
  device: { type: 'string' },
  'draft-length': { type: 'string' },
} as const;

/** `usual` is the draft length when none is given. */
export const pairHelp = (usual: DraftLength): string => `
  --target DIR|NAME     target model directory, or a downloaded model (see flashline models), such as qwen3-4b with
                        its drafter (default: the embedded model)
  --drafter DIR|NAME|none
                        drafter likewise (default: the one of a pair, else none)
  --drafter-bits 4|8|16 bits per weight of the drafter, whatever its files hold (default: as they hold it)
  --draft-length N|full|adaptive
                        most drafted tokens per round; 0 decodes plainly, adaptive takes what is measured to be
                        fastest (default: ${String(usual)})
  --device cpu|gpu      processor (default: gpu where there is one)`;

/** Of --max-tokens. */
export const MAX_TOKENS = whole(1, 100_000);

export interface PairArguments {
  readonly target: string | undefined;
  readonly drafter: string | undefined;
  /** As stored where it is undefined. */
  readonly drafterBits?: '4' | '8' | '16' | undefined;
  readonly device: 'cpu' | 'gpu' | undefined;
  readonly draftLength: DraftLength;
}

export type PairValues = Readonly<Partial<Record<keyof typeof PAIR_OPTIONS, string | undefined>>>;

/** node's parseArgs, with its complaints turned into one line. */
export function parseArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // Node's advice comes after the first sentence; what the person wrote may hold full stops too.
    const got = `"${message.replace(/\.\s(To specify|This command|Did you) .*/s, '')}"`;
    throw new InputError({ expected: 'known options', got, remedy: 'see flashline --help', cause });
  }
}

export function parsePair(values: PairValues, usual: DraftLength = 'full'): PairArguments {
  const { target, drafter, device, 'drafter-bits': bits, 'draft-length': length } = values;
  // From a variable of the shell that is not set; the embedded model would be a surprise.
  for (const [option, folder] of Object.entries({ target, drafter })) {
    if (folder !== '') continue;
    const expected = `--${option} to be a directory`;
    throw new InputError({ expected, got: 'an empty name', remedy: 'leave it out or name one' });
  }
  return {
    target,
    drafter,
    ...(bits !== undefined && { drafterBits: parseChoice('--drafter-bits', bits, ['4', '8', '16']) }),
    device: device === undefined ? undefined : parseChoice('--device', device, ['cpu', 'gpu']),
    draftLength: length === undefined ? usual : parseDraftLength(length),
  };
}

function parseDraftLength(text: string): DraftLength {
  if (text === 'full' || text === 'adaptive') return text;
  return parseNumber('--draft-length', text, SERVER_SETTINGS.draftLength.range, ', adaptive or full');
}

/**
 * `cacheBytes` are for what decodes have read, as in EngineOptions. The engine is imported here and not at the top of a
 * command, so that help and argument errors work without the native addon.
 */
export async function loadPair(
  { target, drafter, drafterBits, device }: PairArguments,
  cacheBytes?: number,
): Promise<Engine> {
  const { Engine } = await import('../engine/engine');
  const directories = pairDirectories(target, drafter);
  const pair = { ...directories, drafterBits: drafterBitsOf(drafterBits) };
  const profile = new ProfileStore(pair, device ?? 'auto').read();
  const onNote = (note: string): void => void process.stderr.write(`flashline: ${note}\n`);
  return await Engine.load({ ...pair, device, profile, cacheBytes, onNote });
}

export function parseChoice<const T extends string>(option: string, text: string, choices: readonly T[]): T {
  const found = choices.find((each) => each === text);
  if (found !== undefined) return found;
  const expected = `${option} ${choices.join(' or ')}`;
  throw new InputError({ expected, got: `"${text}"`, remedy: 'choose one of them' });
}

/** A whole number in decimal digits. */
export function parseCount(option: string, text: string, { min, max }: NumberRange): number {
  return parseNumber(option, text, whole(min, max));
}

/** A number in decimal digits, without an exponent. `or` are other values that the option takes, for the error. */
export function parseNumber(option: string, text: string, range: NumberRange, or = ''): number {
  const form = range.kind === 'whole' ? /^\d{1,15}$/ : /^-?(\d{1,9}(\.\d{1,9})?|\.\d{1,9})$/;
  const value = form.test(text) ? Number(text) : NaN;
  if (isInRange(value, range)) return value;
  const expected = `${option} to be ${rangeText(range)}${or}`;
  throw new InputError({ expected, got: `"${text}"`, remedy: 'correct the number' });
}
