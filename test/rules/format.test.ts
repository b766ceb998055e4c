// How numbers read: few digits, and units that do not jump about.
import assert from 'node:assert/strict';
import { formatMs, formatPercent, formatRate, formatRatio, formatSize } from '../../server/rules/format';

describe('numbers as text', () => {
  const cases: readonly (readonly [format: (value: number) => string, value: number, text: string])[] = [
    [formatRate, 9.94, '9.9'],
    [formatRate, 48.2, '48'],
    [formatRatio, 2.064, '2.06'],
    [formatRatio, 12.34, '12.3'],
    [formatPercent, 0.456, '46 %'],
    [formatMs, 99.94, '99.9 ms'],
    [formatMs, 412.4, '412 ms'],
    [formatSize, 0, '0.0 MB'],
    [formatSize, 9.96e6, '10.0 MB'],
    [formatSize, 363e6, '363 MB'],
    [formatSize, 1e9, '1.0 GB'],
    [formatSize, 12.34e9, '12.3 GB'],
  ];
  for (const [format, value, text] of cases)
    it(`${format.name} makes ${text} of ${String(value)}`, () => {
      assert.equal(format(value), text);
    });
});
