// Memory does not grow with the number of decodes of the embedded pair, measured in a process of its own, so that neither
// what mocha holds nor what other tests left behind counts. That each decode frees its arrays is checked by all that use
// checkedDecode.ts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fullSize } from '../support/fullSize';
import type { MemoryReport } from './memoryProbe';

const PEAK_BYTES = 900e6;
const GROWTH = 1.15;

describe('memory of the embedded pair', () => {
  let report: MemoryReport;
  before(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, 'memoryProbe.js')]);
    report = JSON.parse(stdout) as MemoryReport;
  });

  it('stays under 900 MB at its peak', () => {
    assert.ok(report.emittedTokens > report.decodes, 'the decodes gave tokens');
    assert.ok(report.peakBytes < PEAK_BYTES, `${String(report.peakBytes)} bytes`);
  });

  it('is held by the same number of arrays after each decode as before it', () => {
    assert.equal(report.liveArrays.length, 1, `array counts ${report.liveArrays.join(', ')}`);
  });

  if (fullSize)
    it('does not grow over 300 decodes', () => {
      assert.equal(report.decodes, 300);
      const growth = report.finalBytes / report.settledBytes;
      assert.ok(growth <= GROWTH, `${String(report.settledBytes)} bytes became ${String(report.finalBytes)}`);
    });
});
