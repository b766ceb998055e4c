// Defines the groups of tests, each with its own process: their files, and what they need on this machine.
import { ensureChromium } from '../../scripts/chromium.mjs';
import { ensureTorch } from '../../scripts/torch.mjs';
import { BRINGS_NODE, ensureVscodeWeb } from '../../scripts/vscodeWeb.mjs';

export const isNightly = process.env.FLASHLINE_TEST === 'nightly';

/** Folders of slow unit tests. Each has its own process, so that its models leave memory with it. */
const SLOW_FOLDERS = [
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
/** Suites that start another VS Code. The pattern needs the @, as mocha does not expand a path that has only braces. */
const SEPARATE_VSCODE = 'e2e/@(hostKills|twoWindows|vsix).test.js';
/** Suites that need windows with other settings or files. They run nightly; otherwise, one window serves all. */
const OTHER_WINDOWS = ['e2e/engine/**', 'e2e/nextEdit/**', 'e2e/@(models|scopes).test.js'];

/** Groups of each part, slowest first; times.json replaces this order once a run has kept its times. */
const PARTS = {
  e2e: [
    mocha(
      'e2e',
      'e2e/**/*.test.js',
      ['--slow', '5000'],
      [SEPARATE_VSCODE, ...(isNightly ? [] : OTHER_WINDOWS)],
    ),
    mocha('e2e, separate VS Code', SEPARATE_VSCODE, ['--slow', '5000']),
  ],
  host: [{ name: 'host', args: ['out/test/host/run.js'] }],
  unit: [
    ...SLOW_FOLDERS.map((folder) => mocha(folder, `${folder}/**/*.test.js`, [], inside(folder))),
    mocha('other unit tests', '**/*.test.js', [], [`{${SLOW_FOLDERS.join(',')},host,e2e}/**`]),
  ],
  training: [{ name: 'training', args: ['test/training.mjs'], files: /^(training\/|test\/training\.mjs)/ }],
};

/** Functions that install the programs that a part needs, and return variables for each run of its groups. */
const ENVIRONMENTS = {
  training: () => [{ FLASHLINE_PYTHON: ensureTorch() }],
  host: () => (process.env.VSCODE_TEST_HOST === 'electron' ? [{}] : editors()),
  e2e: editors,
};

export const PART_NAMES = Object.keys(PARTS);

/**
 * Returns the groups of the named parts with their environments. By day, omits groups with `files` if none of these is
 * in `changed`. If `changed` is undefined, any file can have changed.
 */
export function groupsOf(partNames, changed, environment) {
  return partNames.flatMap((part) => {
    const groups = PARTS[part].filter(({ files }) => {
      return isNightly || files === undefined || (changed?.some((file) => files.test(file)) ?? true);
    });
    const runs = groups.length === 0 ? [] : (ENVIRONMENTS[part]?.() ?? [{}]);
    return runs.flatMap((variables) => {
      const suffix = variables.FLASHLINE_VSCODE === undefined ? '' : ', newest VS Code';
      const env = { ...environment, ...variables };
      return groups.map((group) => ({ ...group, name: group.name + suffix, part, env }));
    });
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

/** Returns patterns of the subfolders that have their own process. */
function inside(folder) {
  return SLOW_FOLDERS.filter((subfolder) => subfolder.startsWith(`${folder}/`)).map((path) => `${path}/**`);
}

/** Returns the variables of a run in VS Code; nightly also those of a run in the newest version. */
function editors() {
  const variables = { FLASHLINE_VSCODE_SERVER: ensureVscodeWeb(), CHROMIUM: ensureChromium() };
  if (!isNightly || !BRINGS_NODE) return [variables];
  const newest = { FLASHLINE_VSCODE: 'newest', FLASHLINE_VSCODE_SERVER: ensureVscodeWeb('newest') };
  return [variables, { ...variables, ...newest, VSCODE_TEST_HOST: 'web' }];
}
