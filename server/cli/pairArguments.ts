// Parses the arguments that name a pair, and loads that pair. All arguments are checked before anything is loaded.
import type { DraftLength } from '../engine/decode/decode';
import type { Engine } from '../engine/engine';
import { measuredSpeed, ProfileStore } from '../hosting/profileStore';
import { pairDirectories } from '../hub/pairDirectories';
import { drafterBitsOf, SERVER_SETTINGS, type ServerSettings } from '../rules/serverSettings';
import { WrongValue } from '../rules/userError';
import { visibleText } from '../rules/visibleText';
import { parseChoice, parseNumber } from './arguments';

/** Options of every command that loads a pair. */
export const PAIR_OPTIONS = {
  target: { type: 'string' },
  drafter: { type: 'string' },
  'drafter-bits': { type: 'string' },
  device: { type: 'string' },
  'draft-length': { type: 'string' },
  strict: { type: 'boolean' },
} as const;

/** Returns the help for `PAIR_OPTIONS`, with the default of --draft-length in words. */
export const pairHelp = (defaultLength: string): string => `
  --target DIR|NAME     target: a model directory, or a downloaded model (see flashline models); a known pair such as
                        qwen3-4b brings its drafter (default: the built-in pair)
  --drafter DIR|NAME|none
                        drafter: a model directory, a downloaded model, dflash, dflash2 or dspark where a
                        known pair has several, or none (default: that of the built-in or known pair, otherwise none)
  --drafter-bits N      bits per weight of the drafter: 4, 8, 16, stored, or auto, which is 4 on a GPU beside a large
                        packed target and otherwise stored (default: auto)
  --draft-length N|full|adaptive
                        maximum draft tokens per round; 0 decodes plainly, full drafts as many as the drafter can,
                        adaptive picks the length that measures fastest (default: ${defaultLength})
  --device cpu|gpu      processor (default: gpu if there is one)
  --strict              computes in 32-bit floats on a GPU too, so that drafts hardly ever change a text (slower; CPUs do)`;

export interface PairArguments {
  readonly target: string | undefined;
  readonly drafter: string | undefined;
  readonly drafterBits: ServerSettings['drafterBits'];
  readonly device: 'cpu' | 'gpu' | undefined;
  readonly draftLength: DraftLength;
  readonly strict: boolean;
}

/** Values of `PAIR_OPTIONS` on a command line. */
export type PairValues = Readonly<
  Partial<Record<Exclude<keyof typeof PAIR_OPTIONS, 'strict'>, string | undefined>> & {
    strict?: boolean | undefined;
  }
>;

export function parsePair(values: PairValues, defaultLength: DraftLength = 'full'): PairArguments {
  const { target, drafter, device, strict = false } = values;
  const { 'drafter-bits': bits = 'auto', 'draft-length': length } = values;
  // An empty string comes from an unset shell variable; to use the built-in pair instead would be a surprise.
  for (const [option, folder] of Object.entries({ target, drafter })) {
    if (folder !== '') continue;
    const expected = `--${option} to be a directory or a model`;
    throw new WrongValue({ expected, got: 'an empty string', remedy: 'name one or leave it out' });
  }
  return {
    target,
    drafter,
    drafterBits: parseChoice('--drafter-bits', bits, SERVER_SETTINGS.drafterBits.choices),
    device: device === undefined ? undefined : parseChoice('--device', device, ['cpu', 'gpu']),
    draftLength: length === undefined ? defaultLength : parseDraftLength(length),
    strict,
  };
}

function parseDraftLength(text: string): DraftLength {
  if (text === 'full' || text === 'adaptive') return text;
  return parseNumber('--draft-length', text, SERVER_SETTINGS.draftLength.range, ', adaptive or full');
}

/**
 * Loads a pair. `cacheBytes` is the budget of the prompt cache; without it, no prompts are kept. Throws UserError, also
 * for a drafter that cannot be used. The engine is imported here instead of at the top, so that help and argument errors
 * work without the native addon.
 */
export async function loadEngine(
  { target, drafter, drafterBits, device, strict }: PairArguments,
  cacheBytes?: number,
): Promise<Engine> {
  const { Engine } = await import('../engine/engine');
  const directories = pairDirectories(target, drafter, { measured: measuredSpeed });
  const pair = { ...directories, drafterBits: drafterBitsOf(drafterBits), strict };
  const profile = new ProfileStore(pair, device ?? 'auto').read();
  const onNote = (note: string): void => void process.stderr.write(`flashline: ${visibleText(note)}\n`);
  const engine = await Engine.load({ ...pair, device, profile, cacheBytes, onNote });
  const { drafterProblem } = engine;
  if (drafterProblem === undefined) return engine;
  await engine.dispose();
  throw drafterProblem;
}
