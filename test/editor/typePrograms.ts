// `npm run bench -- typing`: types the programs of bench/typing into VS Code, each in its own window, whose folder has
// the other files of its project.
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { printReport, requireWritable } from '../../bench/report';
import { appendPauses, PAUSES, reportWrong, TYPING_OPTIONS } from '../../bench/typing/benchTyping';
import { readPrograms, type Program } from '../../bench/typing/programs';
import { renderTyping, typingReport, type TypedFigures } from '../../bench/typing/typingReport';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import { Session } from './session';
import { startSharedServer, stopSharedServer } from './sharedServer';
import { keyCounts, TYPED_SETTINGS, typeProgram } from './typedProgram';
import type { VscodeServer } from './vscodeServer';

/** Range of `--windows`. */
const WINDOWS = { min: 1, max: 8 };

/** Types the programs. Those that cannot be completed are reported on stderr and left out of the figures. */
export async function typePrograms(args: string[]): Promise<void> {
  const options = { ...TYPING_OPTIONS, windows: { type: 'string', default: '1' } } as const;
  const { values } = parseArguments({ args, options });
  const windows = parseCount('--windows', values.windows, WINDOWS);
  const waiting = readPrograms(values);
  requireWritable(values.json);
  requireWritable(values.pauses, '--pauses');
  if (values.pauses !== undefined) writeFileSync(values.pauses, '');
  const typed: TypedFigures[] = [];
  const server = await startSharedServer();
  const typeNext = async (): Promise<void> => {
    for (let program = waiting.shift(); program !== undefined; program = waiting.shift())
      try {
        typed.push(await typeIn(server, program, values.pauses));
      } catch (error) {
        process.exitCode = 1;
        console.error(`${program.path} was not typed: ${String(error)}`);
      }
  };
  try {
    await Promise.all(Array.from({ length: windows }, typeNext));
  } finally {
    await stopSharedServer(server);
  }
  if (typed.length === 0) return;
  const report = typingReport({ way: 'vscode', target: 'embedded' }, typed);
  printReport(renderTyping(report), report, values.json);
}

async function typeIn(
  server: VscodeServer,
  program: Program,
  pausesFile: string | undefined,
): Promise<TypedFigures> {
  const path = program.project?.path ?? basename(program.path);
  const name = program.path.replaceAll('/', '-');
  const project = program.project && { copyOf: program.project.folder };
  const session = await Session.open({ server, name, settings: TYPED_SETTINGS, ...project });
  try {
    const { pauses, trace } = await typeProgram(session, path, program.text, PAUSES);
    for (const pause of pauses) reportWrong(program, pause);
    if (pausesFile !== undefined) appendPauses(pausesFile, program, pauses);
    const waitedMs = pauses.flatMap((pause) => pause.waitedMs ?? []);
    return {
      program,
      judgements: pauses.map(({ judgement }) => judgement),
      causes: pauses.flatMap(({ cause }) => cause ?? []),
      typing: { waitedMs, keys: keyCounts(trace) },
    };
  } finally {
    await session.close();
  }
}
