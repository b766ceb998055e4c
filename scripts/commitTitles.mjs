// node scripts/commitTitles.mjs --message FILE | COMMIT..COMMIT: checks the form of a message before it is committed,
// or of all commits in a range. Skips titles that Git writes: of merges, reverts and `git rebase --autosquash`.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MAX_TITLE_LENGTH = 72;
/** Matches titles that Git writes itself. */
const GIT_TITLE = /^(Merge|Revert "|Reapply "|fixup! |squash! |amend! )/;
/** Line below which `git commit --verbose` shows the change, which is not part of the message. */
const SCISSORS = /^# -+ >8 -+$/m;

const [first = '', file] = process.argv.slice(2);
try {
  const messages = first === '--message' ? [draft(file)] : commits(first);
  const problems = messages.flatMap(problemsOf);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}

/** Reads the message as Git will store it, without comments. */
function draft(path) {
  if (path === undefined) throw new Error('No file is named; use commitTitles.mjs --message FILE.');
  const [message] = readFileSync(path, 'utf8').split(SCISSORS);
  return { name: 'The message', message: git(['stripspace', '--strip-comments'], message) };
}

function commits(range) {
  if (!range.includes('..'))
    throw new Error(`"${range}" is not a range of commits. Name one such as main..HEAD.`);
  const log = git(['log', '--no-merges', '-z', '--format=%h%n%B', range, '--']);
  return log
    .split('\0')
    .filter(Boolean)
    .map((text) => {
      const end = text.indexOf('\n');
      return { name: text.slice(0, end), message: text.slice(end + 1) };
    });
}

function problemsOf({ name, message }) {
  const [title = '', second = ''] = message.trimEnd().split('\n');
  if (GIT_TITLE.test(title)) return [];
  const length = [...title].length;
  const rules = [
    [title === '', 'has no title'],
    [length > MAX_TITLE_LENGTH, `has a title of ${length} characters; shorten it to ${MAX_TITLE_LENGTH}`],
    [/[.,;:]$/.test(title), 'has a title that ends with a punctuation mark; leave it out'],
    [/^[a-z]+(\(.*\))?!?:/.test(title), 'has a title with a prefix; begin with the verb, such as "Add"'],
    [/^\p{Ll}/u.test(title), 'has a title in lower case; begin with a capital letter'],
    [/^(wip|tmp)\b/i.test(title), 'has a title of unfinished work; say what changes'],
    [second.trim() !== '', 'has no empty line between title and body; add one'],
  ];
  return rules.filter(([broken]) => broken).map(([, problem]) => `${name} ${problem}: ${title}`);
}

function git(args, input) {
  const { status, stdout, stderr } = spawnSync('git', args, { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr.trim()}`);
  return stdout;
}
