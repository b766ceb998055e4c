// `node dist/bench/run.js typing --quick`: what suggestions are worth where a person pauses who types a program, as a
// table and, in the last line, as JSON. The wrong ones go to stderr.
import { loadPair, pairHelp, PAIR_OPTIONS, parseArguments, parsePair } from '../../server/cli/arguments';
import { interruptSignal } from '../../server/cli/interruptSignal';
import { InputError } from '../../server/rules/inputError';
import { printReport, requireWritable, say } from '../report';
import type { Worth } from './pauses';
import { readPrograms, type Program } from './programs';
import { quickPauses } from './quickPauses';
import { renderTyping, typingReport, type TypedFigures } from './typingReport';

/** Of each program. */
export const PAUSES = 30;

export const HELP = `npm run bench -- typing [options]

Types ${String(PAUSES)}-pause programs in TypeScript, JavaScript and Python, and tells what a suggestion is worth at each pause: wanted
(its first line is what comes next), begins right (its first word is), wrong, or none. Types them into VS Code with its
defaults, and also tells how long suggestions take and how often the next key is what was on the screen. Prints a table
and, as its last line, JSON; lists the wrong ones on stderr.

  --quick               without VS Code: asks for a suggestion at the same places as the editor does
  --set tune|held       only this half of the programs
  --only TEXT           only programs whose path contains it
  --json FILE           also write the JSON to this file

With --quick also:${pairHelp('full')}`;

export const TYPING_OPTIONS = {
  set: { type: 'string' },
  only: { type: 'string' },
  json: { type: 'string' },
} as const;

export async function run(args: string[]): Promise<void> {
  const options = { ...PAIR_OPTIONS, ...TYPING_OPTIONS, quick: { type: 'boolean' } } as const;
  const { values } = parseArguments({ args, options });
  if (values.quick !== true)
    throw new InputError({
      expected: '--quick',
      got: 'none',
      remedy: 'use npm run bench -- typing for VS Code',
    });
  const pair = parsePair(values);
  const programs = readPrograms(values);
  requireWritable(values.json);
  const signal = interruptSignal();
  const engine = await loadPair(pair, 0);
  try {
    const typed: TypedFigures[] = [];
    for (const program of programs) {
      const worths: Worth[] = [];
      const asked = { draftLength: pair.draftLength, pauses: PAUSES, signal };
      for await (const pause of quickPauses(engine, program, asked)) {
        worths.push(pause.worth);
        tellWrong(program, pause);
      }
      typed.push({ program, worths });
    }
    const report = typingReport({ way: 'quick', target: pair.target ?? 'embedded' }, typed);
    if (!signal.aborted) printReport(renderTyping(report), report, values.json);
  } finally {
    await engine.dispose();
  }
}

export function tellWrong({ path }: Program, pause: { line: string; shown: string; worth: Worth }): void {
  if (pause.worth === 'wrong')
    say(`${path}: ${JSON.stringify(pause.line.trimStart())} then ${JSON.stringify(pause.shown)}`);
}
