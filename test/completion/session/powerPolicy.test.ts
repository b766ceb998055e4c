// Tests when automatic requests pause on a battery, also if settings or the power supply change during a check.
import assert from 'node:assert/strict';
import { PowerPolicy } from '../../../server/completion/session/powerPolicy';
import { DEFAULT_SETTINGS } from '../../../server/hosting/settings';

const OFF = { ...DEFAULT_SETTINGS, pauseOnBattery: false };
const ON = { ...OFF, pauseOnBattery: true };

/** A policy whose checks of the power supply wait for `answer`. */
class Checked {
  settings = ON;
  readonly reports: boolean[] = [];
  #answers: ((isPluggedIn: boolean) => void)[] = [];
  readonly policy = new PowerPolicy(
    () => new Promise((resolve) => this.#answers.push(resolve)),
    () => this.settings,
    () => void this.reports.push(this.policy.isPaused),
  );

  get checkCount(): number {
    return this.#answers.length;
  }

  change(settings: typeof ON): void {
    this.settings = settings;
    this.policy.settingsChanged();
  }

  /** Ends all checks. */
  answer(isPluggedIn: boolean): void {
    for (const resolve of this.#answers.splice(0)) resolve(isPluggedIn);
  }
}

describe('PowerPolicy', () => {
  it('pauses automatic requests on a battery, and reports each change once', async () => {
    const checked = new Checked();
    for (const [isPluggedIn, reports] of [
      [true, []],
      [false, [true]],
      [false, [true]],
      [true, [true, false]],
    ] as const) {
      const pauses = checked.policy.pauses();
      checked.answer(isPluggedIn);
      assert.equal(await pauses, !isPluggedIn);
      assert.equal(checked.policy.isPaused, !isPluggedIn);
      assert.deepEqual(checked.reports, reports);
    }
  });

  it('checks nothing if the settings ask for no pause', async () => {
    const checked = new Checked();
    checked.change(OFF);
    assert.equal(await checked.policy.pauses(), false);
    assert.equal(checked.checkCount, 0);
  });

  it('judges by the settings at the end of a check', async () => {
    for (const [settings, isPaused] of [
      [[OFF], false],
      [[OFF, ON], true],
      [[ON], true],
    ] as const) {
      const checked = new Checked();
      const pauses = checked.policy.pauses();
      for (const changed of settings) checked.change(changed);
      checked.answer(false);
      assert.equal(await pauses, isPaused);
      assert.equal(checked.policy.isPaused, isPaused);
      assert.deepEqual(checked.reports, isPaused ? [true] : []);
    }
  });

  it('ends a pause when the setting is switched off', async () => {
    const checked = new Checked();
    const pauses = checked.policy.pauses();
    checked.answer(false);
    await pauses;
    checked.change(ON);
    assert.deepEqual(checked.reports, [true]);
    checked.change(OFF);
    assert.deepEqual(checked.reports, [true, false]);
  });
});
