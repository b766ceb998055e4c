// Tests the settings of the libraries that the native addon loads, in a separate process.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const BLIS = '/usr/lib/x86_64-linux-gnu/blis-openmp/libblas.so.3';
const hasBlis = existsSync(BLIS) && readFileSync('/proc/cpuinfo', 'utf8').includes(' avx2 ');

/** Multiplies two small matrices in a separate process, and returns its output. */
function multiply(env: NodeJS.ProcessEnv): string {
  const program = `
    const mx = require('${resolve('out/server/models/mlx/ops.js')}');
    const { core } = require('${resolve('out/server/models/mlx/binding.js')}');
    core.setDefaultDevice(core.cpu);
    const a = mx.zeros([64, 64], mx.float32);
    core.eval(mx.matmul(a, a));
    console.log(process.env.BLIS_NUM_THREADS, process.env.OPENBLAS_NUM_THREADS);`;
  const inherited = Object.entries(process.env).filter(([name]) => !/^(BLIS|OPENBLAS)_/.test(name));
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
    env: { ...Object.fromEntries(inherited), ...env },
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe('the native addon', () => {
  it('sets the threads of BLIS and OpenBLAS to 1 unless the environment sets them', () => {
    assert.match(multiply({}), /^1 1$/m);
    assert.match(multiply({ BLIS_NUM_THREADS: '2', OPENBLAS_NUM_THREADS: '2' }), /^2 2$/m);
  });

  it('uses BLIS kernels that are fast with few rows, unless the environment names others', function () {
    if (!hasBlis) this.skip();
    assert.match(multiply({ BLIS_ARCH_DEBUG: '1' }), /selecting sub-configuration 'zen3'/);
    assert.match(
      multiply({ BLIS_ARCH_DEBUG: '1', BLIS_ARCH_TYPE: '3' }),
      /selecting sub-configuration 'haswell'/,
    );
  });
});
