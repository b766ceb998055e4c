// Tests the power source of the machine, from the output of a program of macOS and from files of Linux.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { PowerSource } from '../../server/machine/powerSource';
import { temporaryFolder } from '../support/temporaryFolder';

const MAINS = { type: 'Mains', online: '1' };
const UNPLUGGED = { type: 'Mains', online: '0' };
const CHARGING = { type: 'Battery', status: 'Charging', scope: 'System' };
const DISCHARGING = { type: 'Battery', status: 'Discharging' };
const MOUSE = { type: 'Battery', status: 'Discharging', scope: 'Device' };

type PowerSupply = Readonly<Record<string, string>>;

describe('the power source', () => {
  const suppliesFolder = temporaryFolder();
  const supply = (name: string, fields: PowerSupply): void => {
    mkdirSync(join(suppliesFolder, name), { recursive: true });
    for (const [field, text] of Object.entries(fields))
      writeFileSync(join(suppliesFolder, name, field), `${text}\n`);
  };
  beforeEach(() => {
    rmSync(suppliesFolder, { recursive: true });
    mkdirSync(suppliesFolder);
  });
  afterEach(() => {
    mock.restoreAll();
  });

  const machines: readonly (readonly [string, boolean, readonly PowerSupply[]])[] = [
    ['a desktop', true, []],
    ['a desktop with a wireless mouse', true, [MOUSE]],
    ['a desktop with an unpowered USB port', true, [{ type: 'USB', online: '0' }]],
    ['a laptop at its charger', true, [MAINS, CHARGING]],
    ['a laptop that takes more than its charger gives', true, [MAINS, DISCHARGING]],
    ['a laptop at one of its ports', true, [UNPLUGGED, { type: 'USB', online: '1' }, CHARGING]],
    ['a laptop on its battery', false, [UNPLUGGED, DISCHARGING]],
    ['a laptop that was unplugged just now', false, [UNPLUGGED, { type: 'Battery', status: 'Full' }]],
    ['a laptop that lists its batteries only', false, [DISCHARGING, { type: 'Battery', status: 'Full' }]],
    ['a laptop that lists only a full battery', true, [{ type: 'Battery', status: 'Full' }]],
  ];
  for (const [machine, pluggedIn, supplies] of machines)
    it(`reports ${machine} as ${pluggedIn ? 'plugged in' : 'on battery'}`, async () => {
      for (const [i, fields] of supplies.entries()) supply(`supply${String(i)}`, fields);
      assert.equal(await new PowerSource('linux', suppliesFolder).isPluggedIn(), pluggedIn);
    });

  it('reads the output of pmset', async () => {
    const battery = ' -InternalBattery-0 (id=4653155)\t87%; discharging; 5:12 remaining present: true\n';
    for (const [text, pluggedIn] of [
      ["Now drawing from 'AC Power'\n", true],
      [`Now drawing from 'AC Power'\n${battery}`, true],
      [`Now drawing from 'Battery Power'\n${battery}`, false],
      ["Now drawing from 'UPS Power'\n", false],
      ['', true],
    ] as const) {
      const print = (program: string, args: readonly string[]): Promise<string> =>
        Promise.resolve([program, ...args].join(' ') === 'pmset -g batt' ? text : '');
      assert.equal(await new PowerSource('darwin', suppliesFolder, print).isPluggedIn(), pluggedIn, text);
    }
  });

  it('reports plugged in where the power source cannot be determined', async () => {
    const print = (): Promise<string> => Promise.reject(new Error('no pmset'));
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      assert.equal(
        await new PowerSource(platform, join(suppliesFolder, 'absent'), print).isPluggedIn(),
        true,
      );
  });

  it('rereads the folder of power supplies only after half a minute', async () => {
    let time = 1e6;
    mock.method(performance, 'now', () => time);
    const power = new PowerSource('linux', suppliesFolder);
    supply('AC', UNPLUGGED);
    supply('BAT0', DISCHARGING);
    assert.equal(await power.isPluggedIn(), false);
    supply('AC', MAINS);
    time += 29_000;
    assert.equal(await power.isPluggedIn(), false);
    time += 2_000;
    assert.equal(await power.isPluggedIn(), true);
  });
});
