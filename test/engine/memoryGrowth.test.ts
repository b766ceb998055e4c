// Memory does not grow with the number of decodes. Measured in a process of its own, so that neither what mocha
// holds nor what other tests left behind counts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MemoryReport } from './memoryProbe';

const PEAK_BYTES = 900e6;
const GROWTH = 1.15;
/** It takes a minute on two cores that have nothing else to do. */
const LIMIT_MS = 300_000;

describe('memory', () => {
  let report: MemoryReport;
  before(async function () {
    this.timeout(LIMIT_MS);
    const probe = join(__dirname, 'memoryProbe.js');
    const { stdout } = await promisify(execFile)(process.execPath, [probe], { timeout: LIMIT_MS });
    report = JSON.parse(stdout) as MemoryReport;
  });

  it('does not grow over 300 decodes', () => {
    assert.equal(report.decodes, 300);
    assert.ok(report.emittedTokens > 300, 'the decodes gave tokens');
    const growth = report.finalBytes / report.settledBytes;
    assert.ok(growth <= GROWTH, `${String(report.settledBytes)} bytes became ${String(report.finalBytes)}`);
  });

  it('stays under 900 MB at its peak', () => {
    assert.ok(report.peakBytes < PEAK_BYTES, `${String(report.peakBytes)} bytes`);
  });

  it('holds the same number of arrays after each decode as before it', () => {
    assert.equal(report.liveArrays.length, 1, `array counts ${report.liveArrays.join(', ')}`);
  });
});
