// How a download is shown: speed and time left.
import assert from 'node:assert/strict';
import { ProgressLine, progressText } from '../../../server/cli/models/pull';

describe('ProgressLine', () => {
  const at = (arrivedBytes: number) => ({ arrivedBytes, bytes: 4e9, bytesPerSecond: 2e7, secondsLeft: 150 });

  it('says how much, how fast and how long', () => {
    assert.equal(progressText(at(1e9)), ' 25%  1.0 GB of 4.0 GB  20 MB/s  3 min left');
    assert.equal(progressText({ ...at(1e9), secondsLeft: 36_000 }).slice(-11), '10.0 h left');
    assert.equal(progressText({ ...at(0), secondsLeft: undefined }), '  0%  0.0 MB of 4.0 GB');
    assert.equal(progressText({ ...at(0), bytes: 0 }), '100%  0.0 MB of 0.0 MB');
  });

  it('changes one line of a terminal, and writes few lines elsewhere', () => {
    for (const [isTTY, everyMs, lines] of [
      [true, 200, 1],
      [false, 10_000, 3],
    ] as const) {
      let written = '';
      const line = new ProgressLine({ isTTY, write: (text) => (written += text) });
      assert.equal(line.everyMs, everyMs);
      for (const bytes of [0, 1e9, 4e9]) line.show(at(bytes));
      line.end();
      line.end();
      assert.equal(written.split('\n').length - 1, lines);
      assert.ok(written.includes('100%  4.0 GB of 4.0 GB'));
      assert.equal(written.includes('\r'), isTTY);
    }
  });
});
