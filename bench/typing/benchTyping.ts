// `node dist/bench/run.js typing --quick`: judges suggestions at pauses while a program is typed; prints a table and,
// as the last line, JSON. Wrong suggestions go to stderr.
import { appendFileSync, writeFileSync } from 'node:fs';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import { loadEngine, pairHelp, PAIR_OPTIONS, parsePair } from '../../server/cli/pairArguments';
import { interruptSignal } from '../../server/cli/interruptSignal';
import { WrongValue } from '../../server/rules/userError';
import { printReport, requireWritable, say } from '../report';
import type { Judgement } from './pauses';
import { readPrograms, type Program } from './programs';
import { quickPauses, type JudgedPause } from './quickPauses';
import { RecordedDecodes } from './recordedDecodes';
import { renderTyping, typingReport, type TypedFigures } from './typingReport';

/** Pauses per program. */
export const PAUSES = 30;

/** Size of the prompt cache, which holds the common beginning of successive prompts. */
const CACHED_BYTES = 256e6;

export const HELP = `npm run bench -- typing [options]

Types programs in eight languages with ${String(PAUSES)} pauses each, and reports what a suggestion is worth at each pause: wanted (its
first line is what comes next), begins right (its first word is), wrong, or none. Types them into VS Code with its
defaults, and also reports how long suggestions take and how often the next key is what was on the screen. Prints a table
and, as its last line, JSON; lists the wrong ones on stderr.

  --quick               without VS Code: asks for a suggestion at the same places as the editor does
  --set NAME            only this set of the programs: tune, held or unseen
  --only TEXT           only programs whose path contains it
  --files FOLDER        other programs: the files in FOLDER/SET/..., whatever their language
  --json FILE           also write the JSON to this file
  --pauses FILE         write each pause to this file, one JSON object a line

Without --quick also:
  --windows N           windows of VS Code that are typed into at a time (default: 1). Several take less time, but slow
                        each other down, so that their suggestions are later than those of one

With --quick also:
  --within              each pause with the lines below the cursor in place, as in edits of existing code
  --count N             pauses of each program (default: ${String(PAUSES)})
  --recorded FILE       read decodes from this file, and add those that it lacks${pairHelp('full')}`;

export const TYPING_OPTIONS = {
  set: { type: 'string' },
  only: { type: 'string' },
  files: { type: 'string' },
  json: { type: 'string' },
  pauses: { type: 'string' },
} as const;

const QUICK_OPTIONS = {
  quick: { type: 'boolean' },
  within: { type: 'boolean' },
  count: { type: 'string' },
  recorded: { type: 'string' },
} as const;

export async function run(args: string[]): Promise<void> {
  const options = { ...PAIR_OPTIONS, ...TYPING_OPTIONS, ...QUICK_OPTIONS } as const;
  const { values } = parseArguments({ args, options });
  if (values.quick !== true)
    throw new WrongValue({
      expected: '--quick',
      got: 'none',
      remedy: 'add it, or use npm run bench -- typing for VS Code',
    });
  const pair = parsePair(values);
  const programs = readPrograms(values);
  requireWritable(values.json);
  requireWritable(values.pauses, '--pauses');
  const signal = interruptSignal();
  const pauseOptions = {
    draftLength: pair.draftLength,
    pauses: parseCount('--count', values.count ?? String(PAUSES), { min: 1, max: 1000 }),
    isWithin: values.within === true,
    recorded: values.recorded === undefined ? undefined : new RecordedDecodes(values.recorded),
    signal,
  };
  if (values.pauses !== undefined) writeFileSync(values.pauses, '');
  const engine = await loadEngine(pair, CACHED_BYTES);
  try {
    const typed: TypedFigures[] = [];
    for (const program of programs) {
      const pauses: JudgedPause[] = [];
      for await (const pause of quickPauses(engine, program, pauseOptions)) {
        pauses.push(pause);
        reportWrong(program, pause);
      }
      if (values.pauses !== undefined) appendPauses(values.pauses, program, pauses);
      const causes = pauses.flatMap(({ cause }) => cause ?? []);
      typed.push({ program, judgements: pauses.map(({ judgement }) => judgement), causes });
    }
    const report = typingReport({ way: 'quick', target: pair.target ?? 'embedded' }, typed);
    if (!signal.aborted) printReport(renderTyping(report), report, values.json);
  } finally {
    await engine.dispose();
  }
}

/** Appends the pauses of a program to a file, one JSON object a line. */
export function appendPauses(
  file: string,
  { set, path, language }: Program,
  pauses: readonly object[],
): void {
  const lines = pauses.map((pause) => `${JSON.stringify({ set, path, language, ...pause })}\n`);
  appendFileSync(file, lines.join(''));
}

export function reportWrong(
  { path }: Program,
  pause: { line: string; shown: string; judgement: Judgement },
): void {
  if (pause.judgement === 'wrong')
    say(`${path}: ${JSON.stringify(pause.line.trimStart())} then ${JSON.stringify(pause.shown)}`);
}
