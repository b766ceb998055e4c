// `npm run bench:edits`: how often the hint of a next edit names an edit that somebody made, in the commits of git
// repositories. Prints a table and, in the last line, JSON.
import { basename, resolve } from 'node:path';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import { table } from '../../server/cli/statsTable';
import { InputError } from '../../server/inputError';
import { commitSessions } from './commitSessions';
import { added, playEdits, type HintCounts } from './editSession';

const HELP = `npm run bench:edits -- [options]

Makes the edits of commits again, one by one from the top of each file down, and asks for the next edit after each.
Prints how many hints there were and how many of them name the edit that follows, or a later one of the same commit.

  --repository FOLDER   a git repository; may be repeated (default: this one)
  --commits N           its newest commits without merges that change source files (default: 400)
  --wrong               list the hints that name no edit, on stderr`;

function main(args: string[]): void {
  if (args.includes('--help') || args.includes('-h')) return void process.stdout.write(`${HELP}\n`);
  const { values } = parseArguments({
    args,
    options: {
      repository: { type: 'string', multiple: true },
      commits: { type: 'string' },
      wrong: { type: 'boolean' },
    },
  });
  const commits = parseCount('--commits', values.commits ?? '400', { min: 1, max: 100_000 });
  const results = (values.repository ?? ['.']).map((folder) => {
    const sessions = commitSessions(folder, commits);
    const counts = sessions.map((session) =>
      playEdits(session, (hint, outcome, text) => {
        if (!values.wrong || outcome !== 'wrong') return;
        const line = text.slice(text.lastIndexOf('\n', hint.start - 1) + 1, hint.start);
        const change = JSON.stringify([text.slice(hint.start, hint.end), hint.text]);
        process.stderr.write(`${session.name}: ${change} behind ${JSON.stringify(line)}\n`);
      }),
    );
    return { repository: nameOf(folder), files: sessions.length, ...added(counts) };
  });
  const all = {
    repository: 'all',
    files: results.reduce((sum, { files }) => sum + files, 0),
    ...added(results),
  };
  const head = ['', 'files', 'edits', 'hints', 'next', 'later too'];
  const rows = [...results, all].map((each) => [
    each.repository,
    String(each.files),
    String(each.edits),
    String(each.hints),
    share(each.next, each),
    share(each.later, each),
  ]);
  process.stdout.write(`${table([head, ...rows])}\n\n${JSON.stringify({ commits, results, all })}\n`);
}

function share(count: number, { hints }: HintCounts): string {
  return hints === 0 ? '-' : `${((100 * count) / hints).toFixed(0)} %`;
}

/** Without the parent folders. */
function nameOf(folder: string): string {
  return basename(resolve(folder));
}

try {
  main(process.argv.slice(2));
} catch (error) {
  const known = error instanceof InputError;
  process.stderr.write(`bench:edits: ${known ? error.message : String(error)}\n`);
  process.exitCode = known ? 2 : 1;
}
