// When npm is called, with what, and what a person reads when it fails. Nothing is installed here.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installLlama, llamaRelease, NODE_LLAMA_CPP, type Npm } from '../../../../bench/peers/installLlama';
import { InputError } from '../../../../server/rules/inputError';
import { temporaryFolder } from '../../../support/temporaryFolder';

const OFFLINE = 'npm error code ENOTFOUND\nnpm error network request failed\nnpm error A complete log: x\n';

describe('installLlama', () => {
  it('installs exact versions into the folder, runs no scripts and leaves binaries for GPUs out', () => {
    const folder = join(temporaryFolder(), 'new');
    const calls: (readonly string[])[] = [];
    const said: string[] = [];
    const npm: Npm = (args, where) => {
      assert.equal(where, folder);
      calls.push(args);
      return { status: 0, output: '' };
    };
    installLlama(folder, (text) => said.push(text), npm);
    assert.equal(calls.length, 1);
    assert.deepEqual(said, [`installing node-llama-cpp ${NODE_LLAMA_CPP} into ${folder}`]);
    const [args = []] = calls;
    assert.deepEqual(args.slice(0, 3), ['install', '--prefix', folder]);
    for (const each of ['--ignore-scripts', '--omit=optional', `node-llama-cpp@${NODE_LLAMA_CPP}`])
      assert.ok(args.includes(each), each);
    assert.match(args.at(-1) ?? '', new RegExp(`^@node-llama-cpp/[a-z0-9-]+@${NODE_LLAMA_CPP}$`));
  });

  it('does nothing where npm has finished before', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), '{}');
    installLlama(folder, assert.fail, () => assert.fail('npm was called'));
  });

  for (const [what, output, got] of [
    ['why npm failed', OFFLINE, 'code ENOTFOUND network request failed'],
    ['the exit code where npm says nothing', '', 'exit code 1'],
  ] as const)
    it(`says ${what}, and what to do`, () => {
      const attempt = () =>
        installLlama(
          temporaryFolder(),
          () => undefined,
          () => ({ status: 1, output }),
        );
      assert.throws(attempt, (error: unknown) => {
        assert.ok(error instanceof InputError);
        assert.ok(error.message.includes(`got ${got}; connect to the npm registry`), error.message);
        return true;
      });
    });

  it('knows the release of llama.cpp that is installed', () => {
    const folder = temporaryFolder();
    const llama = join(folder, 'node_modules', 'node-llama-cpp', 'llama');
    mkdirSync(llama, { recursive: true });
    writeFileSync(join(llama, 'llama.cpp.info.json'), JSON.stringify({ tag: 'b1' }));
    assert.equal(llamaRelease(folder), 'b1');
  });
});
