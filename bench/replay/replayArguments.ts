// The options of `flashline replay`, and its help.
import {
  pairHelp,
  PAIR_OPTIONS,
  parseArguments,
  parseCount,
  parseNumber,
  parsePair,
  type PairArguments,
} from '../../server/cli/arguments';

export const HELP = `flashline replay [options]

Types source files the way a person does, with pauses, slips, undone words, accepted suggestions and switches between
files, and measures how long suggestions take. The language server runs in its own process, with its defaults except
that no request waits and no suggestion is hidden. Prints tables and, as its last line, JSON. A default run takes about
two minutes on a machine that keeps up. Ctrl+C ends it early with the figures so far.

  --keys N              number of keys to type (default: 400)
  --seed N              seed of the typing; another seed types differently (default: 1)
  --speed X             divide all pauses by X (default: 1, the pace of a person)
  --file FILE           type this file instead of the bundled ones; may be repeated
  --verify              run the server in this process and check that all tokens are those of the target alone
  --json FILE           also write the JSON to this file${pairHelp('adaptive')}`;

export interface ReplayArguments {
  readonly keys: number;
  readonly seed: number;
  readonly speed: number;
  readonly files: readonly string[];
  readonly verify: boolean;
  readonly json: string | undefined;
  readonly pair: PairArguments;
}

export function replayArguments(args: string[]): ReplayArguments {
  const { values } = parseArguments({
    args,
    options: {
      ...PAIR_OPTIONS,
      keys: { type: 'string', default: '400' },
      seed: { type: 'string', default: '1' },
      speed: { type: 'string', default: '1' },
      file: { type: 'string', multiple: true, default: [] },
      verify: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  });
  return {
    keys: parseCount('--keys', values.keys, { min: 1, max: 100_000 }),
    seed: parseCount('--seed', values.seed, { min: 0, max: 999_999_999 }),
    speed: parseNumber('--speed', values.speed, { min: 0.1, max: 1000 }),
    files: values.file,
    verify: values.verify,
    json: values.json,
    pair: parsePair(values, 'adaptive'),
  };
}
