// The state of the machine, by what macOS and Linux say: how short of memory it is, and the group that we run in, and
// whether it runs on a battery, asked in the background and not too often.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { memoryPressure, powerSource, type MemoryPressure } from '../../server/machine/thisMachine';
import { temporaryFolder } from '../support/temporaryFolder';

const GB = 1e9;

function meminfo(total: number, available: number): string {
  const line = (name: string, bytes: number): string => `${name}:  ${String(bytes / 1024)} kB\n`;
  return line('MemTotal', total) + line('MemFree', 1) + line('MemAvailable', available);
}

/** On a Linux that has these files. */
function onLinux(files: Readonly<Record<string, string>>): Promise<MemoryPressure> {
  const read = (path: string): Promise<string> => {
    const text = files[path];
    return text === undefined ? Promise.reject(new Error(`no ${path}`)) : Promise.resolve(text);
  };
  return memoryPressure({ platform: 'linux', read })();
}

const ROOMY = { '/proc/meminfo': meminfo(16 * GB, 8 * GB) };
const V2 = '/sys/fs/cgroup';

describe('memory pressure', () => {
  const machines: readonly (readonly [total: number, available: number, pressure: MemoryPressure])[] = [
    [8, 4, 'normal'],
    [8, 0.81, 'normal'],
    [8, 0.79, 'warning'],
    [8, 0.41, 'warning'],
    [8, 0.39, 'critical'],
    [8, 0, 'critical'],
    [128, 2.1, 'normal'],
    [128, 1.9, 'warning'],
    [128, 0.9, 'critical'],
  ];
  for (const [total, available, pressure] of machines)
    it(`is ${pressure} with ${String(available)} of ${String(total)} GB left`, async () => {
      assert.equal(await onLinux({ '/proc/meminfo': meminfo(total * GB, available * GB) }), pressure);
    });

  it('is what macOS says', async () => {
    for (const [text, pressure] of [
      ['1\n', 'normal'],
      ['2\n', 'warning'],
      ['4\n', 'critical'],
      ['', 'normal'],
      ['unknown oid', 'normal'],
    ] as const) {
      const asked: string[] = [];
      const print = (program: string, args: readonly string[]): Promise<string> => {
        asked.push([program, ...args].join(' '));
        return Promise.resolve(text);
      };
      assert.equal(await memoryPressure({ platform: 'darwin', print })(), pressure, text);
      assert.deepEqual(asked, ['sysctl -n kern.memorystatus_vm_pressure_level']);
    }
  });

  it('counts the limit of a group, less what files take', async () => {
    const group = { ...ROOMY, '/proc/self/cgroup': '0::/user.slice/editor.scope\n' };
    const own = `${V2}/user.slice/editor.scope`;
    const used = { [`${own}/memory.max`]: '2000000000\n', [`${own}/memory.current`]: '1950000000\n' };
    assert.equal(await onLinux({ ...group, ...used }), 'critical');
    const stat = 'anon 1\ninactive_file 60000000\nactive_file 40000000\n';
    assert.equal(await onLinux({ ...group, ...used, [`${own}/memory.stat`]: stat }), 'warning');
    assert.equal(await onLinux({ ...group, ...used, [`${own}/memory.max`]: 'max\n' }), 'normal');
  });

  it('counts the limits of the groups around it, and of a container that sees its own as the outermost', async () => {
    const group = { ...ROOMY, '/proc/self/cgroup': '0::/a/b/c\n' };
    const tight = { [`${V2}/a/memory.max`]: '2000000000', [`${V2}/a/memory.current`]: '1850000000' };
    assert.equal(await onLinux({ ...group, ...tight }), 'warning');
    for (const around of ['/a/b', '/a', ''])
      assert.equal(
        await onLinux({
          ...group,
          ...tight,
          [`${V2}${around}/memory.max`]: '1000000000',
          [`${V2}${around}/memory.current`]: '999000000',
        }),
        'critical',
        around,
      );
  });

  it('is normal where nothing can be found out, and fails nobody', async () => {
    assert.equal(await onLinux({}), 'normal');
    for (const text of ['', 'MemTotal: many kB\nMemAvailable: few kB\n', '\0', 'MemTotal: 16 kB\n'])
      assert.equal(await onLinux({ '/proc/meminfo': text, '/proc/self/cgroup': text }), 'normal');
    const print = (): Promise<string> => Promise.reject(new Error('no sysctl'));
    assert.equal(await memoryPressure({ platform: 'darwin', print })(), 'normal');
    assert.equal(await memoryPressure({ platform: 'win32', print, read: print })(), 'normal');
  });

  it('can be found out on this machine', async () => {
    assert.match(await memoryPressure()(), /^(normal|warning|critical)$/);
  });
});

const MAINS = { type: 'Mains', online: '1' };
const UNPLUGGED = { type: 'Mains', online: '0' };
const CHARGING = { type: 'Battery', status: 'Charging', scope: 'System' };
const DISCHARGING = { type: 'Battery', status: 'Discharging' };
const MOUSE = { type: 'Battery', status: 'Discharging', scope: 'Device' };

type PowerSupply = Readonly<Record<string, string>>;

describe('powerSource', () => {
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
    it(`takes ${machine} for ${pluggedIn ? 'plugged in' : 'one that runs on a battery'}`, async () => {
      for (const [i, fields] of supplies.entries()) supply(`supply${String(i)}`, fields);
      assert.equal(await powerSource({ platform: 'linux', suppliesFolder })(), pluggedIn);
    });

  it('reads what pmset prints', async () => {
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
      assert.equal(await powerSource({ platform: 'darwin', print })(), pluggedIn, text);
    }
  });

  it('reads the folder of supplies, again after half a minute only', async () => {
    let time = 1e6;
    const { mock: clock } = mock.method(performance, 'now', () => time);
    const pluggedIn = powerSource({ platform: 'linux', suppliesFolder });
    supply('AC', UNPLUGGED);
    supply('BAT0', DISCHARGING);
    assert.equal(await pluggedIn(), false);
    supply('AC', MAINS);
    time += 29_000;
    assert.equal(await pluggedIn(), false);
    time += 2_000;
    assert.equal(await pluggedIn(), true);
    clock.restore();
  });
});
