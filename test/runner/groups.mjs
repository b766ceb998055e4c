// The groups of tests, each a process of its own: which files it has, and what its part needs from this machine.
import { ensureChromium } from '../../scripts/chromium.mjs';
import { ensureTorch } from '../../scripts/torch.mjs';
import { ensureNewestVscode, ensureVscodeWeb } from '../../scripts/vscodeWeb.mjs';

export const isNightly = process.env.FLASHLINE_TEST === 'nightly';

/** Folders of unit tests that take long. Each has its own process, so that its models leave memory with it. */
const LONG = [
  'models',
  'lsp',
  'cli',
  'engine',
  'models/families',
  'nightly',
  'http',
  'completion',
  'hub',
  'src',
];
/** Suites that start a VS Code of their own. (Braces alone are no pattern to mocha.) */
const OWN_VSCODE = 'e2e/@(hostKills|twoWindows|vsix).test.js';
/** The suites of e2e that need a window with other settings or files. By day one window serves all others. */
const OTHER_WINDOWS = ['e2e/engine/**', 'e2e/nextEdit/**', 'e2e/@(models|scopes).test.js'];

/** The groups of each part, those that take longest first; times.json knows better after a run. */
const PARTS = {
  e2e: [
    mocha('e2e', 'e2e/**/*.test.js', ['--slow', '5000'], [OWN_VSCODE, ...(isNightly ? [] : OTHER_WINDOWS)]),
    mocha('e2e, VS Code of their own', OWN_VSCODE, ['--slow', '5000']),
  ],
  host: [{ name: 'host', args: ['out/test/host/run.js'] }],
  unit: [
    ...LONG.map((folder) => mocha(folder, `${folder}/**/*.test.js`, [], inside(folder))),
    mocha('other unit tests', '**/*.test.js', [], [`{${LONG.join(',')},host,e2e}/**`]),
  ],
  training: [{ name: 'training', args: ['test/training.mjs'], files: /^(training\/|test\/training\.mjs)/ }],
};

/** Environments of parts, with what they need installed. */
const NEEDS = {
  training: () => ({ FLASHLINE_PYTHON: ensureTorch() }),
  host: () => (process.env.VSCODE_TEST_HOST === 'electron' ? {} : { ...editors(), ...newestEditor() }),
  e2e: editors,
};

export const PART_NAMES = Object.keys(PARTS);

/**
 * The groups of the named parts, with their environments. By day groups of `files` are left out where `changed`, if it
 * is known, has none of these.
 */
export function groupsOf(partNames, changed, environment) {
  return partNames.flatMap((part) => {
    const groups = PARTS[part].filter(({ files }) => {
      return isNightly || files === undefined || (changed?.some((file) => files.test(file)) ?? true);
    });
    const env = groups.length === 0 ? {} : { ...environment, ...NEEDS[part]?.() };
    return groups.map((group) => ({ ...group, part, env }));
  });
}

function mocha(name, files, options, ignored = []) {
  const fixed = ['--timeout', '1800000', '--reporter', 'test/tally.mjs'];
  const ignoring = ignored.flatMap((pattern) => ['--ignore', `out/test/${pattern}`]);
  return {
    name,
    args: ['node_modules/mocha/bin/mocha.js', ...fixed, `out/test/${files}`, ...options, ...ignoring],
  };
}

/** Patterns of the folders inside that have a process of their own. */
function inside(folder) {
  return LONG.filter((other) => other.startsWith(`${folder}/`)).map((other) => `${other}/**`);
}

function newestEditor() {
  const newest = isNightly ? ensureNewestVscode() : undefined;
  return newest === undefined ? {} : { FLASHLINE_VSCODE_NEWEST: newest };
}

function editors() {
  return { FLASHLINE_VSCODE_SERVER: ensureVscodeWeb(), CHROMIUM: ensureChromium() };
}
