// `node dist/bench/run.js holes`: measures how well a pair fills holes in bundled files; prints a table and, as the
// last line, JSON. Wrong answers go to stderr.
import { basename, dirname, resolve } from 'node:path';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import {
  loadEngine,
  pairHelp,
  PAIR_OPTIONS,
  parsePair,
  type PairArguments,
} from '../../server/cli/pairArguments';
import { interruptSignal } from '../../server/cli/interruptSignal';
import { printReport, requireWritable, say } from '../report';
import { WrongValue } from '../../server/rules/userError';
import type { ServedEngine } from '../../server/hosting/model';
import { mediaPath } from '../../server/machine/folders';
import { fillHoles, type Fill, type FillOptions } from './fillHoles';
import { missingText, readHoles, spread, type Hole } from './holes';
import { holesReport, renderHoles, type PairFills } from './holesReport';
import { judgeFill, type JudgedFill } from './judgeFill';

export const HELP = `node dist/bench/run.js holes [options]

Measures how well a pair fills holes: cuts text out of bundled TypeScript, JavaScript and Python files, asks for it the
way the editor does, and compares the answer with what was there. Prints a table and, as its last line, JSON; lists
the holes that were not filled exactly on stderr. Holes whose answer is in another file of a small project are a set of
their own.

  --holes N             number of holes of each set, evenly spread (default: all)
  --json FILE           write the JSON to this file (default: bench/results/holes.json, or holes-in-languages.json)
  --languages LIST      fill holes in Go, Rust and others instead: language ids with commas between them, or all${pairHelp('full')}

With --draft-length adaptive, the tokens per round depend on the machine.`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      ...PAIR_OPTIONS,
      holes: { type: 'string' },
      json: { type: 'string' },
      languages: { type: 'string' },
    },
  });
  const pair = parsePair(values);
  const { all, inProjects = [] } = holeSets(values.languages);
  const max = all.length;
  const count = parseCount('--holes', values.holes ?? String(max), { min: 1, max });
  const holes = spread(all, count);
  const projectHoles = spread(inProjects, Math.min(count, inProjects.length));
  requireWritable(values.json);
  const signal = interruptSignal();
  const fills = await pairFills(pair, holes, projectHoles, signal);
  if (signal.aborted) return;
  const report = holesReport(fills);
  const name = values.languages === undefined ? 'holes' : 'holes-in-languages';
  printReport(renderHoles(report), report, values.json ?? mediaPath(`../bench/results/${name}.json`));
}

/** Reads the holes in `languages`, as given on the command line, or the default ones. */
function holeSets(languages: string | undefined): { readonly all: Hole[]; readonly inProjects?: Hole[] } {
  const read = (folder: string): Hole[] => readHoles(mediaPath(`../bench/${folder}`));
  if (languages === undefined) return { all: read('holes'), inProjects: read('holes/projects') };
  const all = read('holes/languages');
  const languageIds = [...new Set(all.map(({ language }) => language))];
  const requested = languages === 'all' ? languageIds : languages.split(',');
  const unsupported = requested.find((id) => !languageIds.includes(id));
  if (unsupported === undefined) return { all: all.filter(({ language }) => requested.includes(language)) };
  const expected = `all or some of ${languageIds.join(',')} for --languages`;
  throw new WrongValue({ expected, got: unsupported, remedy: 'name only languages of this list' });
}

async function pairFills(
  pair: PairArguments,
  holes: readonly Hole[],
  projectHoles: readonly Hole[],
  signal: AbortSignal,
): Promise<PairFills> {
  // Use no cache, so that each answer depends on its hole alone.
  const engine = await loadEngine(pair, 0);
  const fill = (someHoles: readonly Hole[]): Promise<JudgedFill[]> =>
    judgedFills(engine, someHoles, { draftLength: pair.draftLength, signal });
  try {
    if (engine.tokenizer === undefined)
      throw new WrongValue({
        expected: 'tokenizer.json in the target directory',
        got: 'none',
        remedy: 'add it',
      });
    const fills = await fill(holes);
    const target = nameOf(pair.target);
    const drafter = engine.maxDraftTokens === 0 ? 'none' : nameOf(pair.drafter ?? pair.target);
    const draftLength = String(pair.draftLength);
    const result = { target, drafter, draftLength, device: engine.device, fills };
    return projectHoles.length === 0 ? result : { ...result, projects: await fill(projectHoles) };
  } finally {
    await engine.dispose();
  }
}

async function judgedFills(
  engine: ServedEngine,
  holes: readonly Hole[],
  options: FillOptions,
): Promise<JudgedFill[]> {
  const judged: JudgedFill[] = [];
  for await (const fill of fillHoles(engine, holes, options)) {
    const judgedFill = judgeFill(fill);
    judged.push(judgedFill);
    if (!judgedFill.wholeExactMatch) reportMiss(fill, `${String(judged.length)}/${String(holes.length)}`);
  }
  return judged;
}

/** Prints an answer that is not exact. `progress` is the number of its hole, such as 3/40. */
function reportMiss({ hole, text, outcome }: Fill, progress: string): void {
  const got = outcome === 'shown' ? JSON.stringify(text) : `nothing (${outcome})`;
  const where = `${hole.path}:${String(hole.line)} (${hole.kind})`;
  say(`${progress} ${where}: expected ${JSON.stringify(missingText(hole))}, got ${got}`);
}

/** Returns the name of a model without its parent folders, since results are read on other machines too. */
function nameOf(chosen: string | undefined): string {
  if (chosen === undefined) return 'embedded';
  const path = resolve(chosen);
  return ['target', 'drafter'].includes(basename(path)) ? basename(dirname(path)) : basename(path);
}
