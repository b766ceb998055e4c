import assert from 'node:assert/strict';
import { passes } from '../../../../bench/infill/runTests';
import { SPAN, SUM } from './madeUp';

describe('the tests of a problem', () => {
  it('hold with the right answer in place and fail with a wrong one', async () => {
    assert.equal(await passes(SUM, SUM.canonical_solution), true);
    assert.equal(await passes(SUM, '    return b + a\n'), true);
    assert.equal(await passes(SUM, '    return a - b\n'), false);
    assert.equal(await passes(SPAN, '+'), true);
    assert.equal(await passes(SPAN, '+('), false);
  });

  it('fail where the answer takes memory or files', async () => {
    assert.equal(await passes(SUM, '    x = bytearray(1 << 33)\n    return a + b\n'), false);
    assert.equal(
      await passes(SUM, '    print("x", file=open("kept", "w"), flush=True)\n    return a + b\n'),
      false,
    );
  });

  it('see nothing of the environment', async () => {
    const answer = '    import os\n    return a + b if not os.environ.get("HOME") else 0\n';
    assert.equal(await passes(SUM, answer), true);
  });
});
