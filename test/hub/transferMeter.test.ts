// Speed and time left, by a clock that the test moves.
import assert from 'node:assert/strict';
import { TransferMeter } from '../../server/hub/download';

describe('TransferMeter', () => {
  it('tells the speed of the last seconds and what the rest takes', () => {
    let time = 0;
    const meter = new TransferMeter(1000, 100, 0, () => time);
    assert.deepEqual(meter.at(100), {
      arrivedBytes: 100,
      bytes: 1000,
      bytesPerSecond: 0,
      secondsLeft: undefined,
    });
    time = 1000;
    assert.equal(meter.at(200)?.bytesPerSecond, 100);
    assert.equal(meter.at(200)?.secondsLeft, 8);
    for (; time < 20_000; time += 500) meter.at(200);
    assert.equal(meter.at(200)?.bytesPerSecond, 0);
    assert.equal(meter.at(200)?.secondsLeft, undefined);
  });

  it('begins anew when a file does', () => {
    let time = 0;
    const meter = new TransferMeter(1000, 0, 0, () => time);
    time = 1000;
    meter.at(500);
    meter.at(0);
    time = 2000;
    assert.equal(meter.at(50)?.bytesPerSecond, 50);
  });

  it('tells it now and then, and the end at once and once', () => {
    let time = 0;
    const meter = new TransferMeter(1000, 0, 200, () => time);
    const told: number[] = [];
    for (; time <= 500; time += 100) told.push(meter.at(time)?.arrivedBytes ?? -1);
    assert.deepEqual(told, [0, -1, 200, -1, 400, -1]);
    assert.equal(meter.at(1000)?.arrivedBytes, 1000);
    time += 1000;
    assert.equal(meter.at(1000), undefined);
  });
});
