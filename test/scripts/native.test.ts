// The decisions of scripts/native.mjs and scripts/blas.mjs: which platform a binary is for, what is wrong
// with an installed package, and which system library is missing.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Native {
  binaryPlatform(header: Buffer): string | undefined;
  binaryProblem(folder: string, platform: string): string | undefined;
}

interface OpenBlas {
  missingLibrary(loaderOutput: string): string | undefined;
}

const elf = (machine: number) => {
  const header = Buffer.alloc(20);
  header.write('\x7fELF', 'latin1');
  header.writeUInt16LE(machine, 18);
  return header;
};

const machO = (cpu: number) => {
  const header = Buffer.alloc(20);
  header.writeUInt32LE(0xfeedfacf, 0);
  header.writeUInt32LE(cpu, 4);
  return header;
};

describe('scripts/native.mjs', () => {
  let native: Native;
  before(async () => {
    native = (await load('native.mjs')) as Native;
  });

  it('tells platforms apart by the magic of the file', () => {
    assert.equal(native.binaryPlatform(elf(62)), 'linux-x64');
    assert.equal(native.binaryPlatform(elf(183)), 'linux-arm64');
    assert.equal(native.binaryPlatform(elf(3)), 'linux-unknown');
    assert.equal(native.binaryPlatform(machO(0x01000007)), 'darwin-x64');
    assert.equal(native.binaryPlatform(machO(0x0100000c)), 'darwin-arm64');
    assert.equal(native.binaryPlatform(Buffer.from('<!DOCTYPE html><html>')), undefined);
    assert.equal(native.binaryPlatform(elf(62).subarray(0, 19)), undefined);
  });

  it('names what is wrong with an installed package', () => {
    const folder = mkdtempSync(join(tmpdir(), 'flashline-native-'));
    const release = join(folder, 'build/Release');
    try {
      assert.equal(native.binaryProblem(folder, 'linux-x64'), 'no binary');
      mkdirSync(release, { recursive: true });
      writeFileSync(join(release, 'mlx.node'), elf(62));
      assert.equal(native.binaryProblem(folder, 'linux-x64'), undefined);
      assert.equal(native.binaryProblem(folder, 'darwin-arm64'), 'a binary for linux-x64');
      writeFileSync(join(release, 'mlx.node'), machO(0x0100000c));
      assert.equal(native.binaryProblem(folder, 'darwin-arm64'), 'no mlx.metallib beside it');
      writeFileSync(join(release, 'mlx.metallib'), '');
      assert.equal(native.binaryProblem(folder, 'darwin-arm64'), undefined);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('scripts/blas.mjs', () => {
  let openBlas: OpenBlas;
  before(async () => {
    openBlas = (await load('blas.mjs')) as OpenBlas;
  });

  it('finds the missing library in what the loader says', () => {
    const said = (library: string) =>
      `Error: ${library}: cannot open shared object file: No such file or directory\n    at Module.load`;
    assert.equal(openBlas.missingLibrary(said('liblapack.so.3')), 'liblapack.so.3');
    assert.equal(openBlas.missingLibrary(said('libblas.so.3')), 'libblas.so.3');
    assert.equal(openBlas.missingLibrary(said('libstdc++.so.6')), undefined);
    assert.equal(openBlas.missingLibrary("libm.so.6: version `GLIBC_2.38' not found"), undefined);
    assert.equal(openBlas.missingLibrary(''), undefined);
  });
});

/** The scripts are ES modules outside of out/, where this test was compiled to. */
function load(script: string): Promise<unknown> {
  return import(pathToFileURL(resolve('scripts', script)).href);
}
