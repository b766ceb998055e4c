// Tests how numbers and the progress of downloads are written, at the values where the form changes.
import assert from 'node:assert/strict';
import { percentText, progressText } from '../../server/rules/downloadProgress';
import {
  formatMs,
  formatPercent,
  formatRate,
  formatRatio,
  formatSize,
  rateText,
} from '../../server/rules/formatNumber';

describe('numbers for users', () => {
  it('have as many digits as matter, and units for shares, times and sizes', () => {
    for (const [format, cases] of [
      [formatRate, { 0: '0.0', 9.94: '9.9', 10: '10', 1234.5: '1235' }],
      [formatRatio, { 1.5: '1.50', 9.99: '9.99', 10: '10.0' }],
      [formatPercent, { 0: '0 %', 0.5: '50 %', 0.996: '100 %' }],
      [formatMs, { 0.04: '0.0 ms', 99.94: '99.9 ms', 100: '100 ms' }],
      [formatSize, { 0: '0.0 MB', 9_940_000: '9.9 MB', 1e7: '10 MB', 999_000_000: '999 MB', 1e9: '1.0 GB' }],
    ] as const)
      for (const [value, text] of Object.entries(cases)) assert.equal(format(Number(value)), text);
    assert.equal(rateText({ tokensPerSecond: 48.2, isMeasured: true }), '48 tok/s');
    assert.equal(rateText({ tokensPerSecond: 4.82, isMeasured: false }), 'about 4.8 tok/s');
  });

  it('describe a download by its share, sizes, speed and the time left', () => {
    const progress = { arrivedBytes: 1.2e9, bytes: 2.8e9, bytesPerSecond: 12e6 };
    for (const [secondsLeft, text] of [
      [0.2, '1 s'],
      [99, '99 s'],
      [100, '2 min'],
      [5_940, '99 min'],
      [6_000, '1.7 h'],
    ] as const)
      assert.equal(
        progressText({ ...progress, secondsLeft }),
        `42 %, 1.2 GB of 2.8 GB, 12 MB/s, ${text} left`,
      );
    assert.equal(progressText(progress), '42 %, 1.2 GB of 2.8 GB');
    const complete = { ...progress, arrivedBytes: 2.8e9, secondsLeft: 0 };
    assert.equal(progressText(complete), '100 %, 2.8 GB of 2.8 GB');
    // Only a complete download has 100 %.
    assert.equal(percentText({ arrivedBytes: 999, bytes: 1000 }), '99 %');
    assert.equal(percentText({ arrivedBytes: 0, bytes: 0 }), '0 %');
  });
});
