// What a suggestion waited for: each mark takes the time since the one before, decodes say theirs themselves, and nothing
// of the whole gets lost.
import assert from 'node:assert/strict';
import { partsOf } from '../../../bench/start/partsOf';

const DECODE = { prefillMs: 50, decodeMs: 20 };

describe('the parts of a start', () => {
  it('are those between the marks, those of the decodes, and the rest', () => {
    const marks = [
      { name: 'process', at: 1040 },
      { name: 'modules', at: 1100 },
    ];
    assert.deepEqual(partsOf({ from: 1000, to: 1200, marks, decodes: [DECODE] }), {
      process: 40,
      modules: 60,
      prefill: 50,
      decode: 20,
      other: 30,
    });
  });

  it('add up where a name comes again and where there are several decodes', () => {
    const marks = [
      { name: 'a', at: 10 },
      { name: 'b', at: 15 },
      { name: 'a', at: 40 },
    ];
    const parts = partsOf({ from: 0, to: 200, marks, decodes: [DECODE, DECODE] });
    assert.deepEqual(parts, { a: 35, b: 5, prefill: 100, decode: 40, other: 20 });
    assert.equal(
      Object.values(parts).reduce((sum, ms) => sum + ms, 0),
      200,
    );
  });

  it('leave out what was before and after', () => {
    const marks = [
      { name: 'before', at: 99 },
      { name: 'within', at: 120 },
      { name: 'after', at: 301 },
    ];
    assert.deepEqual(partsOf({ from: 100, to: 300, marks, decodes: [] }), { within: 20, other: 180 });
  });
});
