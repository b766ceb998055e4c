// Tests the program as a whole: its commands, its help, and how it ends when its output is closed. Options are tested
// with the files that parse them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { QWEN3 } from '../support/fixtures';
import { temporaryFolder } from '../support/temporaryFolder';
import { assertComplaint, itComplainsAbout } from './complaint';
import { flashline, flashlines } from './flashline';
import { inProcess } from './inProcess';
import { outputOf } from './printed';
import { writeSmallTarget } from './smallTarget';

/** Adds dashes to the names of options. */
const dashed = (names: string): readonly string[] => names.split(' ').map((name) => `--${name}`);

const CHAT = 'chat no-chat think';
const PAIR = 'target drafter drafter-bits draft-length device strict';
const SAMPLING =
  'forbid repetition-penalty presence-penalty frequency-penalty penalty-window top-p min-p top-k temperature seed acceptance';
const REMOTE = 'remote remote-model remote-tokenizer remote-key-file remote-drafter';
const OUTPUT = `confidence-threshold ${SAMPLING} logprobs repetition-guard no-repetition-guard`;
const COMPLETE = dashed(`json max-tokens alternatives allow-secret ${PAIR} ${REMOTE} ${OUTPUT}`);

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  complete: COMPLETE,
  demo: COMPLETE,
  generate: dashed(`prompt prompt-file batch ${CHAT} max-tokens stop json ${PAIR} ${OUTPUT}`),
  bench: dashed(`json repeats max-tokens depth busy quick ${CHAT} ${PAIR} ${SAMPLING}`),
  replay: dashed(
    `keys seed speed patience file debounce prefetch cache-memory hide-below next-edit generate json ${PAIR}`,
  ),
  doctor: dashed('json device'),
  models: dashed('bits drafter update force endpoint cache-dir json'),
};
const COMMANDS = Object.keys(OPTIONS);

describe('flashline', () => {
  itComplainsAbout([
    ['no command', [], 'a command', 'nothing', ...COMMANDS],
    ['an unknown command', ['completes'], '"completes"', ...COMMANDS],
    ['an empty command', [''], 'a command', '""'],
    ['a command that every object has', ['constructor'], '"constructor"'],
    ['an option before the command', ['--json', 'demo'], '"--json"'],
    ['a command of several lines', ['demo\nbench'], '"demo bench"'],
  ]);

  describe('as a separate process', () => {
    const small = ['generate', '--prompt', 'x', '--target', resolve(QWEN3)];
    itComplainsAbout(
      [
        ['no command', [], 'a command', 'nothing', ...COMMANDS],
        ['an unknown option', ['bench', '--frobnicate'], "'--frobnicate'", 'flashline --help'],
        ['a missing file', ['complete', 'absent.txt:1:1'], 'a file at absent.txt', 'got nothing'],
        ['a target without a tokenizer', small, 'no tokenizer.json'],
      ],
      temporaryFolder,
      flashline,
    );
  });

  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    assert.equal(outputOf(await flashline(['--version'], { cwd: temporaryFolder() })), `${version}\n`);
  });

  it('prints its help for every spelling of the request', async () => {
    const help = outputOf(await flashline(['--help']));
    for (const spelling of ['--help', '-h', 'help'])
      assert.equal(outputOf(await inProcess([spelling])), help);
    for (const command of COMMANDS) assert.ok(help.includes(`flashline ${command} `), command);
    assert.deepEqual(documented(help), dashed(PAIR));
  });

  for (const [command, options] of Object.entries(OPTIONS)) {
    it(`documents every option of ${command}, also when other arguments are wrong`, async () => {
      const help = outputOf(await inProcess([command, '--help']));
      assert.ok(help.startsWith(`flashline ${command} `));
      assert.equal(outputOf(await inProcess([command, '--no-such-option', '-h'])), help);
      assert.deepEqual(documented(help), options);
    });

    it(`accepts every documented option of ${command}`, async () => {
      // All of these fail for another reason: a missing value, an unknown device or an unknown action.
      const wrong = options.includes('--device') ? ['--device', 'none'] : ['none', 'none'];
      for (const option of options) {
        const { code, stderr } = await inProcess([command, option, ...wrong]);
        assert.equal(code, 2, option);
        assert.doesNotMatch(stderr, /Unknown option/);
      }
    });
  }

  it('ends quietly when its output is closed', async () => {
    const target = writeSmallTarget({ context: 20_000 });
    const args = ['generate', '--prompt', 'hi', '--max-tokens', '10000', '--target', target];
    const outcome = await flashline(args, { onOutput: ({ stdout }) => void stdout?.destroy() });
    assert.deepEqual({ ...outcome, stdout: '' }, { code: 0, signal: null, stdout: '', stderr: '' });
  });

  it('complains about an output that cannot be written, and continues when only stderr is full', function () {
    if (!existsSync('/dev/full')) return this.skip();
    const run = (command: string, redirection: string) => {
      const line = `"$0" "$1" ${command} ${redirection}`;
      const { status: code, ...ended } = spawnSync('sh', ['-c', line, process.execPath, 'dist/cli.js'], {
        encoding: 'utf8',
      });
      return { code, signal: ended.signal, stdout: ended.stdout, stderr: ended.stderr };
    };
    assertComplaint(run('--help', '> /dev/full'), ['output cannot be written', 'ENOSPC']);
    assert.match(run('--help', '2> /dev/full').stdout, /^flashline: .*\n/);
    assert.deepEqual(run('frobnicate', '2> /dev/full'), { code: 2, signal: null, stdout: '', stderr: '' });
  });

  for (const freeFiles of [0, 1, 2]) {
    it(`reports that it cannot open more than ${String(freeFiles)} files`, function () {
      if (process.platform === 'win32') return this.skip();
      const script = `const { main } = require('./dist/cli.js'); const { closeSync, openSync } = require('node:fs');
        const files = []; try { for (;;) files.push(openSync('/dev/null')) } catch {}
        files.slice(0, ${String(freeFiles)}).forEach(closeSync); main(['generate', '--prompt', 'x'])`;
      const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '-e', script];
      const { status, stderr } = spawnSync('sh', limited, { encoding: 'utf8' });
      assert.match(stderr, /^flashline: Too many files are open: close some, or raise the limit .*\n$/);
      assert.equal(status, 2);
    });
  }

  it('reports missing files of its installation', async () => {
    const folder = temporaryFolder();
    const program = join(folder, 'cli.js');
    copyFileSync('dist/cli.js', program);
    const prompt = ['generate', '--prompt', 'x'];
    const [help, version, demo, model, bench, replay] = await flashlines(
      [
        ['--help'],
        ['--version'],
        ['demo'],
        [...prompt, '--target', resolve(QWEN3)],
        ['bench', '--quick'],
        ['replay', '--help'],
      ],
      { program, cwd: folder },
    );
    assert.match(outputOf(help), /^flashline: /);
    for (const outcome of [version, demo]) assertComplaint(outcome, ['media folder', folder]);
    assertComplaint(model, ['native MLX addon', '@frost-beta/mlx', 'npm run setup']);
    for (const [outcome, name] of [[bench, 'bench'] as const, [replay, 'replay'] as const])
      assertComplaint(outcome, [join(folder, 'bench', 'benchCommands.js'), 'clone', `dist/cli.js ${name}`]);
  });

  it('finds the benchmarks of the repository, which the package leaves out', async () => {
    const { sources } = JSON.parse(readFileSync('dist/cli.js.map', 'utf8')) as { sources: string[] };
    assert.deepEqual(
      sources.filter((source) => /(^|\/)bench\//.test(source)),
      [],
    );
    for (const command of ['bench', 'replay']) {
      const help = outputOf(await flashline([command, '--help']));
      assert.equal(help, outputOf(await inProcess([command, '--help'])));
    }
  });
});

/** Returns the options that a help text explains, in order. */
function documented(help: string): string[] {
  return [...help.matchAll(/^ {2}(--[a-z-]+) /gm)].map(([, option = '']) => option);
}
