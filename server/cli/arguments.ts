// Parses a command line and single values of it. Every mistake is a UserError.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { isInRange, rangeText, wholeNumbers, type NumberRange } from '../rules/numbers';
import { UserError, WrongValue } from '../rules/userError';

/** Calls Node's parseArgs. Throws UserError with the first sentence of its error. */
export function parseArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // Find Node's advice by its first words: the sentence before it quotes the user, so it can contain full stops too.
    const problem = message.replace(/\.\s(To specify|This command|Did you) .*/s, '');
    throw new UserError(`${problem}. See flashline --help.`, { cause });
  }
}

export function parseChoice<const T extends string>(option: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const expected = `${option} to be ${choices.join(' or ')}`;
  throw new WrongValue({ expected, got: `"${text}"`, remedy: 'choose one of them' });
}

/** Parses a whole number in decimal digits. */
export function parseCount(option: string, text: string, { min, max }: NumberRange): number {
  return parseNumber(option, text, wholeNumbers(min, max));
}

/** Parses a number in decimal digits, without an exponent. `or` lists the option's other values, for the error. */
export function parseNumber(option: string, text: string, range: NumberRange, or = ''): number {
  const form = range.kind === 'whole' ? /^\d{1,15}$/ : /^-?(\d{1,9}(\.\d{1,9})?|\.\d{1,9})$/;
  const value = form.test(text) ? Number(text) : NaN;
  if (isInRange(value, range)) return value;
  const expected = `${option} to be ${rangeText(range)}${or}`;
  throw new WrongValue({ expected, got: `"${text}"`, remedy: 'correct the number' });
}
