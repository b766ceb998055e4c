// Tests the memory pressure of the machine and its control groups, from the output of a program of macOS and from files
// of Linux.
import assert from 'node:assert/strict';
import { memoryPressure, type MemoryPressure } from '../../server/machine/memoryPressure';

type Files = Readonly<Record<string, string>>;

/** Returns /proc/meminfo of a machine with `total` and `available` GB. */
function meminfo(total: number, available: number): Files {
  const line = (name: string, gigabytes: number): string => `${name}:  ${(gigabytes * 1e9) / 1024} kB\n`;
  const text = line('MemTotal', total) + line('MemFree', 1e-9) + line('MemAvailable', available);
  return { '/proc/meminfo': text };
}

/** Returns the files that hold the memory limit and the used memory of a control group, in bytes. */
function limit(path: string, maximum: string, used: string): Files {
  const folder = `/sys/fs/cgroup${path}`;
  return { [`${folder}/memory.max`]: maximum, [`${folder}/memory.current`]: used };
}

/** Returns the memory pressure on a Linux with these files. */
function onLinux(...files: readonly Files[]): Promise<MemoryPressure> {
  const all: Files = Object.assign({}, ...files) as Files;
  const read = async (path: string): Promise<string> =>
    Promise.resolve(all[path] ?? assert.fail(`no ${path}`));
  return memoryPressure({ platform: 'linux', read });
}

const ROOMY = meminfo(16, 8);

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
  it('depends on the available and the total memory', async () => {
    for (const [total, available, pressure] of machines)
      assert.equal(await onLinux(meminfo(total, available)), pressure, `${available} of ${total} GB`);
  });

  it('is the level that macOS reports, and normal if it reports none', async () => {
    const answers = {
      '1\n': 'normal',
      '2\n': 'warning',
      '4\n': 'critical',
      '': 'normal',
      'no oid': 'normal',
    };
    for (const [text, pressure] of Object.entries(answers)) {
      const print = (program: string, args: readonly string[]): Promise<string> => {
        assert.equal([program, ...args].join(' '), 'sysctl -n kern.memorystatus_vm_pressure_level');
        return Promise.resolve(text);
      };
      assert.equal(await memoryPressure({ platform: 'darwin', print }), pressure, text);
    }
  });

  it('respects the limit of a control group, except memory of cached files', async () => {
    const groupPath = '/user.slice/editor.scope';
    const files = {
      ...ROOMY,
      '/proc/self/cgroup': `0::${groupPath}\n`,
      ...limit(groupPath, '2000000000\n', '1950000000\n'),
    };
    assert.equal(await onLinux(files), 'critical');
    const stat = 'anon 1\ninactive_file 60000000\nactive_file 40000000\n';
    assert.equal(await onLinux(files, { [`/sys/fs/cgroup${groupPath}/memory.stat`]: stat }), 'warning');
    assert.equal(await onLinux(files, limit(groupPath, 'max\n', '1950000000\n')), 'normal');
  });

  it('respects the limit of a control group of version 1, and ignores one above the memory of the machine', async () => {
    const group = (limitBytes: number, path = '/docker/a'): Files => {
      const folder = `/sys/fs/cgroup/memory${path}`;
      return {
        [`${folder}/memory.limit_in_bytes`]: `${limitBytes}\n`,
        [`${folder}/memory.usage_in_bytes`]: '1950000000\n',
        [`${folder}/memory.stat`]:
          'inactive_file 500000000\ntotal_inactive_file 60000000\ntotal_active_file 40000000\n',
      };
    };
    for (const line of ['9:memory:', '4:cpu,memory,pids:'])
      for (const [limitBytes, pressure] of [
        [2e9, 'warning'],
        [1.9e9, 'critical'],
        [4e9, 'normal'],
        [16e9, 'normal'],
        [2 ** 63, 'normal'],
      ] as const) {
        const groups = { '/proc/self/cgroup': `12:cpuset:/\n${line}/docker/a\n1:name=systemd:/b\n` };
        assert.equal(await onLinux(ROOMY, groups, group(limitBytes)), pressure, `${line} ${limitBytes}`);
      }
    const full = { '/proc/self/cgroup': '9:memory:/docker/a\n' };
    assert.equal(await onLinux(ROOMY, full, group(1e9, '')), 'critical', 'an enclosing group');
  });

  it('respects the limits of enclosing groups, and of the root group as a container sees it', async () => {
    const group = {
      ...ROOMY,
      '/proc/self/cgroup': '0::/a/b/c\n',
      ...limit('/a', '2000000000', '1850000000'),
    };
    assert.equal(await onLinux(group), 'warning');
    for (const around of ['/a/b', '/a', ''])
      assert.equal(await onLinux(group, limit(around, '1000000000', '999000000')), 'critical', around);
  });

  it('is normal when it cannot be determined', async () => {
    assert.equal(await onLinux({}), 'normal');
    for (const text of ['', 'MemTotal: many kB\nMemAvailable: few kB\n', '\0', 'MemTotal: 16 kB\n'])
      assert.equal(await onLinux({ '/proc/meminfo': text, '/proc/self/cgroup': text }), 'normal');
    const print = (): Promise<string> => Promise.reject(new Error('no sysctl'));
    assert.equal(await memoryPressure({ platform: 'darwin', print }), 'normal');
    assert.equal(await memoryPressure({ platform: 'win32', print, read: print }), 'normal');
  });
});
