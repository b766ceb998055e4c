// Every kind of call into the addon counts once, in a process of its own: counting changes the addon for good.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const folder = join(__dirname, '../../..');
const SCRIPT = `
  const { countCalls, takeCalls } = require(${JSON.stringify(join(folder, 'bench/graph/countCalls.js'))});
  const { core } = require(${JSON.stringify(join(folder, 'server/models/binding.js'))});
  countCalls();
  takeCalls();
  const counts = {};
  const count = (name, call) => { const result = call(); counts[name] = takeCalls(); return result; };
  const a = count('constructor', () => new core.array([1, 2]));
  const sum = count('function', () => core.add(a, a));
  count('fast function', () => core.fast.rmsNorm(sum, a, 1e-6));
  count('method', () => sum.reshape([2, 1]));
  count('getter', () => sum.shape);
  count('in place', () => sum.indexPut_(null, a));
  const twice = count('compile', () => core.compile((x) => [core.add(x, x)]));
  core.eval(count('compiled', () => twice(a))[0]);
  takeCalls();
  const parts = core.split(a, 2);
  takeCalls();
  count('getter of a part', () => parts[1].size);
  count('reading', () => sum.tolist());
  console.log(JSON.stringify(counts), a instanceof core.array && parts[0] instanceof core.array);
`;

describe('native calls', () => {
  it('count, each once', () => {
    const output = execFileSync(process.execPath, ['-e', SCRIPT], { encoding: 'utf8' }).trim();
    const [, counts = '', rest] = /^(\{.*\}) (\w+)$/.exec(output) ?? [];
    assert.equal(rest, 'true', output);
    const found = JSON.parse(counts) as Record<string, number>;
    // Without compilation, as on a CPU, the function itself runs: its addition is a call too.
    assert.deepEqual(found, {
      constructor: 1,
      function: 1,
      'fast function': 1,
      method: 1,
      getter: 1,
      'in place': 1,
      compile: 1,
      compiled: 2,
      'getter of a part': 1,
      reading: 1,
    });
  });
});
