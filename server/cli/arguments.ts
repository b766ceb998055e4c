// Command-line arguments, parsed and checked before anything is loaded. Every mistake is an InputError.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { DraftLength } from '../engine/decode';
import { InputError } from '../inputError';

/** Options of every command that loads a pair. */
export const PAIR_OPTIONS = {
  target: { type: 'string' },
  drafter: { type: 'string' },
  device: { type: 'string' },
  'draft-length': { type: 'string' },
} as const;

/** `usual` is the draft length when none is given. */
export const pairHelp = (usual: DraftLength): string => `
  --target DIR|NAME     target model directory, or a downloaded model (see flashline models), such as qwen3-4b with
                        its drafter (default: the embedded model)
  --drafter DIR|NAME|none
                        drafter likewise (default: the one of a pair, else none)
  --draft-length N|full|adaptive
                        most drafted tokens per round; 0 decodes plainly, adaptive takes what is measured to be
                        fastest (default: ${String(usual)})
  --device cpu|gpu      processor (default: gpu where there is one)`;

export interface PairArguments {
  readonly target: string | undefined;
  readonly drafter: string | undefined;
  readonly device: 'cpu' | 'gpu' | undefined;
  readonly draftLength: DraftLength;
}

interface PairValues {
  readonly target?: string | undefined;
  readonly drafter?: string | undefined;
  readonly device?: string | undefined;
  readonly 'draft-length'?: string | undefined;
}

/** node's parseArgs, with its complaints turned into one line. */
export function parseArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // Node's advice comes after the first sentence; what the person wrote may hold full stops too.
    const got = message.replace(/\.\s(To specify|This command|Did you) .*/s, '');
    throw new InputError({
      expected: 'known options',
      got: `"${got}"`,
      remedy: 'see flashline --help',
      cause,
    });
  }
}

export function parsePair(values: PairValues, usual: DraftLength = 'full'): PairArguments {
  const { target, drafter, device } = values;
  // From a variable of the shell that is not set; the embedded model would be a surprise.
  for (const [option, folder] of Object.entries({ target, drafter })) {
    if (folder !== '') continue;
    const expected = `--${option} to be a directory`;
    throw new InputError({ expected, got: 'an empty name', remedy: 'leave it out or name one' });
  }
  if (device !== undefined && device !== 'cpu' && device !== 'gpu') {
    throw new InputError({
      expected: '--device cpu or gpu',
      got: `"${device}"`,
      remedy: 'choose one of them',
    });
  }
  return { target, drafter, device, draftLength: draftLengthOf(values, usual) };
}

function draftLengthOf({ 'draft-length': given }: PairValues, usual: DraftLength): DraftLength {
  return given === undefined ? usual : parseDraftLength(given);
}

function parseDraftLength(text: string): DraftLength {
  if (text === 'full' || text === 'adaptive') return text;
  return parseCount('--draft-length', text, { min: 0, max: 255, or: ', adaptive or full' });
}

interface CountRange {
  readonly min: number;
  readonly max: number;
  /** Another value that the option takes, for the error. */
  readonly or?: string;
}

/** A whole number in decimal digits. */
export function parseCount(option: string, text: string, { min, max, or = '' }: CountRange): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new InputError({
    expected: `${option} to be a whole number from ${String(min)} to ${String(max)}${or}`,
    got: `"${text}"`,
    remedy: 'correct the number',
  });
}
