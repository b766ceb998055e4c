// Tests `npm run setup` in a small clone with its own packages, npm and build: which steps it takes, which steps
// it repeats after a failure, and that it does and prints nothing where nothing is missing.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../support/temporaryFolder';

const ADDON = 'node_modules/@frost-beta/mlx';
const BINARY = `${ADDON}/build/Release/mlx.node`;
const BUILD = `import fs from 'node:fs';
  fs.mkdirSync('dist', { recursive: true });
  fs.writeFileSync('dist/cli.js', '');`;
/** Code of an install script that copies the binary, in place of a download. */
const COPYING = "fs.copyFileSync('../../../binary', 'build/Release/mlx.node')";
const INSTALLING = 'setup: installing packages (npm ci)';
const BUILDING = 'setup: building dist/';
const DOWNLOADING = `setup: downloading the native MLX binary for ${process.platform}-${process.arch}`;

/** Returns the first bytes of a binary for this machine, or for a machine of another kind. */
function binary(isForThisMachine = true): Buffer {
  const header = Buffer.alloc(20);
  const isArm = (process.arch === 'arm64') === isForThisMachine;
  if (process.platform === 'darwin') {
    header.writeUInt32LE(0xfeedfacf);
    header.writeUInt32LE(isArm ? 0x0100000c : 0x01000007, 4);
  } else {
    header.writeUInt32BE(0x7f454c46);
    header.writeUInt16LE(isArm ? 183 : 62, 18);
  }
  return header;
}

describe('the set-up of a clone', () => {
  let clone: string;
  const write = (name: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(clone, name)), { recursive: true });
    writeFileSync(join(clone, name), content);
  };

  /** Writes a program that runs instead of npm or of a script, in the folder of the clone. */
  const program = (name: string, code: string): void => {
    write(name, `const fs = require('node:fs');\n${code}\n`);
  };

  beforeEach(() => {
    clone = temporaryFolder();
    for (const name of ['apt', 'blas', 'command', 'native', 'setup'])
      cpSync(join('scripts', `${name}.mjs`), join(clone, 'scripts', `${name}.mjs`));
    write('package.json', JSON.stringify({ engines: { node: '>=20.19' } }));
    write('package-lock.json', '{"first":1}');
    write('server/a.ts', '');
    for (const name of ['src', 'bench']) mkdirSync(join(clone, name));
    write('esbuild.mjs', BUILD);
    npm();
    write('binary', binary());
  });

  /** Writes an npm that installs the addon, and then runs `code`. */
  const npm = (code = ''): void => {
    program(
      'npm-cli.js',
      `fs.mkdirSync('${ADDON}/build/Release', { recursive: true });
       fs.writeFileSync('${ADDON}/package.json', '{"main":"index.js"}');
       fs.writeFileSync('${ADDON}/index.js', '');
       fs.copyFileSync('binary', '${BINARY}');
       fs.writeFileSync('${ADDON}/build/Release/mlx.metallib', '');
       fs.writeFileSync('npm-arguments', process.argv.slice(2).join(' '));
       ${code}`,
    );
  };

  const setUp = (...args: readonly string[]) => {
    // Without apt-get in the PATH, nothing can be installed on this machine.
    const env = { PATH: clone, npm_execpath: join(clone, 'npm-cli.js') };
    const { status, stderr } = spawnSync(process.execPath, [join(clone, 'scripts', 'setup.mjs'), ...args], {
      encoding: 'utf8',
      env,
    });
    // Lines about BLIS, which is optional, depend on this machine.
    const lines = stderr.split('\n').filter((line) => line !== '' && !/blis|BLIS|libopenblas/.test(line));
    return { status, lines };
  };
  const date = (name: string, seconds: number): void => utimesSync(join(clone, name), seconds, seconds);

  it('takes each step once, and again when its input has changed', () => {
    assert.deepEqual(setUp(), { status: 0, lines: [INSTALLING, BUILDING] });
    assert.match(readFileSync(join(clone, 'npm-arguments'), 'utf8'), /^ci --include=dev /);
    assert.deepEqual(setUp(), { status: 0, lines: [] });
    rmSync(join(clone, 'dist'), { recursive: true });
    assert.deepEqual(setUp().lines, [BUILDING]);
    write('package-lock.json', '{"second":2}');
    assert.deepEqual(setUp().lines, [INSTALLING, BUILDING]);
  });

  it('builds again when a source is newer than the build, or was removed since', () => {
    setUp();
    // Removing a source changes the date of its folder.
    const names = [
      'server',
      'server/a.ts',
      'src',
      'bench',
      'esbuild.mjs',
      'package.json',
      'package-lock.json',
    ];
    for (const name of names) date(name, 1000);
    for (const name of ['dist', 'dist/cli.js']) date(name, 2000);
    assert.deepEqual(setUp().lines, []);
    for (const name of names) {
      date(name, 3000);
      assert.deepEqual(setUp().lines, [BUILDING], name);
      date(name, 1000);
      for (const built of ['dist', 'dist/cli.js']) date(built, 2000);
    }
  });

  it('keeps the packages when only the addon fails to load, and checks the addon again', () => {
    npm(`fs.writeFileSync('${ADDON}/index.js', 'throw new Error("damaged")');`);
    const failed = setUp();
    assert.equal(failed.status, 1);
    assert.equal(failed.lines[0], INSTALLING);
    assert.match(
      failed.lines.at(-1) ?? '',
      /^@frost-beta\/mlx does not load on .* \(exit code 1\)\. Read the loader error above\. /,
    );
    assert.ok(failed.lines.some((line) => line.includes('Error: damaged')));
    assert.ok(!setUp().lines.includes(INSTALLING));
    program(`${ADDON}/index.js`, '');
    assert.deepEqual(setUp(), { status: 0, lines: [BUILDING] });
    program(`${ADDON}/index.js`, 'throw new Error("damaged")');
    assert.deepEqual(setUp(), { status: 0, lines: [] });
    assert.equal(setUp('--check').status, 1);
  });

  it('ends with the output and the advice of a step that fails, and repeats the step the next time', () => {
    program('npm-cli.js', "console.error('no network'); process.exit(7);");
    assert.deepEqual(setUp(), {
      status: 1,
      lines: [
        INSTALLING,
        'no network',
        'npm ci failed (exit code 7). Fix the errors that npm reports above and run "npm run setup" again.',
      ],
    });
    npm();
    write('esbuild.mjs', "console.log('a.ts: no semicolon'); process.exitCode = 1;");
    assert.deepEqual(setUp(), {
      status: 1,
      lines: [
        INSTALLING,
        BUILDING,
        'a.ts: no semicolon',
        'esbuild.mjs failed (exit code 1). Fix the build errors above and run "npm run setup" again.',
      ],
    });
    write('esbuild.mjs', BUILD);
    assert.deepEqual(setUp(), { status: 0, lines: [BUILDING] });
  });

  it('downloads the addon for this machine, and keeps no part of a download that fails', () => {
    write('binary', binary(false));
    npm(`fs.writeFileSync('${ADDON}/install.js', 'process.exit(1)');`);
    const { status, lines } = setUp();
    assert.deepEqual([status, lines.slice(0, 2)], [1, [INSTALLING, DOWNLOADING]]);
    assert.match(
      lines.at(-1) ?? '',
      /^Expected a native MLX binary for .*, got a binary for .*; check that /,
    );
    assert.ok(!existsSync(join(clone, BINARY)));
    program(`${ADDON}/install.js`, COPYING);
    assert.equal(setUp().status, 1);
    write('binary', binary());
    program(`${ADDON}/install.js`, `${COPYING}; process.exit(1)`);
    assert.equal(setUp().status, 1);
    assert.ok(!existsSync(join(clone, BINARY)));
    program(`${ADDON}/install.js`, COPYING);
    if (process.platform === 'darwin') write(`${ADDON}/build/Release/mlx.metallib`, '');
    assert.deepEqual(setUp(), { status: 0, lines: [DOWNLOADING, BUILDING] });
  });

  it('refuses a Node.js that is too old, before any step', () => {
    for (const version of ['99.0', `${process.versions.node.split('.')[0]}.999`]) {
      write('package.json', JSON.stringify({ engines: { node: `>=${version}` } }));
      assert.deepEqual(setUp(), {
        status: 1,
        lines: [
          `Expected Node >=${version}, got ${process.versions.node}; install a newer Node from https://nodejs.org`,
        ],
      });
    }
  });
});
