// Creates the text of a generated block by its name.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pairHelp } from '../../server/cli/pairArguments';
import { REMOTE_HELP } from '../../server/cli/remoteArguments';
import { outputHelp, SAMPLING_HELP } from '../../server/cli/samplingArguments';
import { WrongValue } from '../../server/rules/userError';
import { draftingTable } from './draftingTable';
import { knownPairsTable, recommendationsTable } from './knownPairsTable';
import { resultText } from './resultText';
import { settingsReference, type Manifest, type Words } from './settingsReference';
import { speedTable } from './speedTable';

const BLOCKS: Readonly<Record<string, () => string>> = {
  settings: () => settingsReference(manifest(), words()),
  'known-pairs': knownPairsTable,
  recommendations: recommendationsTable,
  speed: speedTable,
  drafting: draftingTable,
};

/** Throws UserError for an unknown kind of block or result, and an Error for the help of an unknown command. */
export function blockText(name: string): string {
  const [kind = '', which = ''] = name.split(' ');
  if (kind === 'help') return fenced(help(which));
  if (kind === 'results') return fenced(resultText(which));
  const text = BLOCKS[name];
  if (text !== undefined) return text();
  throw new WrongValue({
    expected: `a generated block "help COMMAND", "results NAME" or ${Object.keys(BLOCKS).join(', ')}`,
    got: `"${name}"`,
    remedy: 'mend its name on the page',
  });
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}

/** Options that several commands share, and the command whose block shows them. */
const SHARED_OPTIONS: readonly (readonly [name: string, shownBy: string, options: string])[] = [
  ['options of a pair', 'flashline', pairHelp('full')],
  ['options of a pair', 'flashline', pairHelp('adaptive')],
  ['options of a remote engine', 'complete', REMOTE_HELP],
  ['options of sampling', 'complete', outputHelp('on')],
  ['options of sampling', 'complete', outputHelp('off')],
  ['options of sampling', 'complete', SAMPLING_HELP],
];

/** Returns the help of a command without options that another block shows. `flashline` means the program itself. */
function help(command: string): string {
  const args = command === 'flashline' ? ['--help'] : [command, '--help'];
  const helpText = execFileSync(process.execPath, ['dist/cli.js', ...args], { encoding: 'utf8' });
  return SHARED_OPTIONS.filter(([, shownBy]) => shownBy !== command).reduce(
    (text, [name, , options]) => text.replace(options, `\n  [${name}]`),
    helpText,
  );
}

function manifest(): Manifest {
  return JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
}

function words(): Words {
  return JSON.parse(readFileSync('package.nls.json', 'utf8')) as Words;
}
