// Whether the machine runs on a battery: by what Linux and macOS say, asked in the background and not too often.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pluggedInByLinux, pluggedInByMac, powerSource, type PowerSupply } from '../server/powerSource';
import { temporaryFolder } from './support/temporaryFolder';

const MAINS = { type: 'Mains', online: '1' };
const UNPLUGGED = { type: 'Mains', online: '0' };
const CHARGING = { type: 'Battery', status: 'Charging', scope: 'System' };
const DISCHARGING = { type: 'Battery', status: 'Discharging' };
const MOUSE = { type: 'Battery', status: 'Discharging', scope: 'Device' };

describe('powerSource', () => {
  const machines: readonly (readonly [
    machine: string,
    pluggedIn: boolean,
    supplies: readonly PowerSupply[],
  ])[] = [
    ['a desktop', true, []],
    ['a desktop with a wireless mouse', true, [MOUSE]],
    ['a desktop with ports that could be supplied', true, [{ type: 'USB', online: '0' }]],
    ['a laptop at its charger', true, [MAINS, CHARGING]],
    ['a laptop that takes more than its charger gives', true, [MAINS, DISCHARGING]],
    ['a laptop at one of its ports', true, [UNPLUGGED, { type: 'USB', online: '1' }, CHARGING]],
    ['a laptop on its battery', false, [UNPLUGGED, DISCHARGING]],
    ['a laptop that was unplugged just now', false, [UNPLUGGED, { type: 'Battery', status: 'Full' }]],
    ['a laptop that lists its batteries only', false, [DISCHARGING, { type: 'Battery', status: 'Full' }]],
    ['the same, full', true, [{ type: 'Battery', status: 'Full' }]],
  ];
  for (const [machine, pluggedIn, supplies] of machines)
    it(`takes ${machine} for ${pluggedIn ? 'plugged in' : 'one that runs on a battery'}`, () => {
      assert.equal(pluggedInByLinux(supplies), pluggedIn);
    });

  it('reads what pmset prints', () => {
    const battery = ' -InternalBattery-0 (id=4653155)\t87%; discharging; 5:12 remaining present: true\n';
    assert.equal(pluggedInByMac("Now drawing from 'AC Power'\n"), true);
    assert.equal(pluggedInByMac(`Now drawing from 'AC Power'\n${battery}`), true);
    assert.equal(pluggedInByMac(`Now drawing from 'Battery Power'\n${battery}`), false);
    assert.equal(pluggedInByMac("Now drawing from 'UPS Power'\n"), false);
    assert.equal(pluggedInByMac(''), true);
  });

  describe('on Linux', () => {
    const suppliesFolder = temporaryFolder();
    const supply = (name: string, fields: Readonly<Record<string, string>>): void => {
      mkdirSync(join(suppliesFolder, name), { recursive: true });
      for (const [field, text] of Object.entries(fields))
        writeFileSync(join(suppliesFolder, name, field), text);
    };

    it('reads the folder of supplies, again after half a minute only', async () => {
      let time = 1e6;
      const pluggedIn = powerSource({ platform: 'linux', suppliesFolder, now: () => time });
      supply('AC', { type: 'Mains\n', online: '0\n' });
      supply('BAT0', { type: 'Battery\n', status: 'Discharging\n' });
      assert.equal(await pluggedIn(), false);
      supply('AC', { online: '1\n' });
      time += 29_000;
      assert.equal(await pluggedIn(), false);
      time += 2_000;
      assert.equal(await pluggedIn(), true);
    });

    it('takes a machine that says nothing for plugged in', async () => {
      rmSync(suppliesFolder, { recursive: true });
      assert.equal(await powerSource({ platform: 'linux', suppliesFolder })(), true);
      assert.equal(await powerSource({ platform: 'win32', suppliesFolder })(), true);
    });
  });

  it('never fails on the machine that it runs on', async () => {
    assert.equal(typeof (await powerSource()()), 'boolean');
  });
});
