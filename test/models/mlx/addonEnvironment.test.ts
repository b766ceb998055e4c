// Tests the environment variables of the native addon on each platform, which must be set before the addon is loaded.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { addonEnvironment } from '../../../server/models/mlx/addonEnvironment';

const mac = (chip: string, env: NodeJS.ProcessEnv = {}) =>
  addonEnvironment(env, { platform: 'darwin', chip, hasAvx2: false });

describe('addonEnvironment', () => {
  it('sets the operations of a Metal command buffer as newer releases of MLX do, by the size of the chip', () => {
    const operations = (chip: string) => mac(chip)['MLX_MAX_OPS_PER_BUFFER'];
    assert.deepEqual(['Apple M1', 'Apple M4 Pro', 'Apple M9', ''].map(operations), ['40', '40', '40', '40']);
    assert.deepEqual(['Apple M2 Max', 'Apple M3 Ultra'].map(operations), ['50', '50']);
  });

  it('disables compilation except on Metal', () => {
    assert.equal(mac('Apple M1')['MLX_DISABLE_COMPILE'], undefined);
    const linux = addonEnvironment({}, { platform: 'linux', chip: 'EPYC', hasAvx2: true });
    assert.equal(linux['MLX_DISABLE_COMPILE'], '1');
    assert.equal(linux['MLX_MAX_OPS_PER_BUFFER'], undefined);
    assert.equal(linux['BLIS_ARCH_TYPE'], '6');
  });

  it('keeps every value that the user has set, even an empty one', () => {
    const env = { MLX_MAX_OPS_PER_BUFFER: '10', OPENBLAS_NUM_THREADS: '', BLIS_NUM_THREADS: '2' };
    assert.deepEqual(mac('Apple M1', env), {});
  });

  it('takes effect before the addon is loaded', () => {
    const program = `
      const { createRequire } = require('node:module');
      const original = require('node:module')._load;
      require('node:module')._load = function (id, ...rest) {
        if (id === '@frost-beta/mlx') process.stdout.write(JSON.stringify(process.env));
        return original.call(this, id, ...rest);
      };
      require('./out/server/models/mlx/binding.js');`;
    const env = { PATH: process.env['PATH'] };
    const seen = JSON.parse(
      execFileSync(process.execPath, ['-e', program], { env, encoding: 'utf8' }),
    ) as NodeJS.ProcessEnv;
    for (const [name, value] of Object.entries(addonEnvironment({}))) assert.equal(seen[name], value, name);
  });
});
