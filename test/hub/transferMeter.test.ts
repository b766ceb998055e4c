// Speed and time left, by a clock that the test moves.
import assert from 'node:assert/strict';
import { TransferMeter } from '../../server/hub/download';

describe('TransferMeter', () => {
  it('tells the speed of the last seconds and what the rest takes', () => {
    let time = 0;
    const meter = new TransferMeter(1000, 100, () => time);
    assert.deepEqual(meter.at(100), {
      bytes: 100,
      totalBytes: 1000,
      bytesPerSecond: 0,
      secondsLeft: undefined,
    });
    time = 1000;
    assert.equal(meter.at(200).bytesPerSecond, 100);
    assert.equal(meter.at(200).secondsLeft, 8);
    for (; time < 20_000; time += 500) meter.at(200);
    assert.equal(meter.at(200).bytesPerSecond, 0);
    assert.equal(meter.at(200).secondsLeft, undefined);
  });

  it('begins anew when a file does', () => {
    let time = 0;
    const meter = new TransferMeter(1000, 0, () => time);
    time = 1000;
    meter.at(500);
    meter.at(0);
    time = 2000;
    assert.equal(meter.at(50).bytesPerSecond, 50);
  });
});
