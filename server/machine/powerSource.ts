// Queries whether the machine is plugged in. It counts as plugged in if the system does not report its power source.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf } from './systemProgram';

/** Time for which an answer about the power source is reused. */
const QUERY_INTERVAL_MS = 30_000;

export class PowerSource {
  #queriedAt = -Infinity;
  #answer = Promise.resolve(true);

  /** On Linux, `suppliesFolder` has a folder for each power supply; `print` returns the output of a program. */
  constructor(
    private readonly platform: NodeJS.Platform = process.platform,
    private readonly suppliesFolder = '/sys/class/power_supply',
    private readonly print = outputOf,
  ) {}

  /** Resolves with whether the machine is plugged in. Queries the system at most every 30 seconds. */
  isPluggedIn(): Promise<boolean> {
    if (performance.now() - this.#queriedAt >= QUERY_INTERVAL_MS) {
      this.#queriedAt = performance.now();
      this.#answer = this.#query().catch(() => true);
    }
    return this.#answer;
  }

  async #query(): Promise<boolean> {
    if (this.platform === 'linux') return pluggedInByLinux(this.suppliesFolder);
    if (this.platform !== 'darwin') return true;
    const output = await this.print('pmset', ['-g', 'batt']);
    const [, source = 'AC Power'] = /drawing from '([^']+)'/.exec(output) ?? [];
    return source === 'AC Power';
  }
}

/**
 * Decides by the external power supplies; without any, the machine is plugged in unless a battery is
 * discharging. A machine without batteries is always plugged in.
 */
async function pluggedInByLinux(suppliesFolder: string): Promise<boolean> {
  const supplies = (await readdir(suppliesFolder)).map(async (name) => {
    // Any of the files can be missing.
    const files = ['type', 'online', 'status', 'scope'].map(async (file) =>
      (await readFile(join(suppliesFolder, name, file), 'utf8').catch(() => undefined))?.trim(),
    );
    const [type, online, status, scope] = await Promise.all(files);
    return { type, online, status, scope };
  });
  const all = await Promise.all(supplies);
  // A battery with the scope `Device` is that of a mouse or keyboard.
  const batteries = all.filter(({ type, scope }) => type === 'Battery' && scope !== 'Device');
  const external = all.filter(({ type, online }) => type !== 'Battery' && online !== undefined);
  if (batteries.length === 0 || external.some(({ online }) => online !== '0')) return true;
  return external.length === 0 && batteries.every(({ status }) => status !== 'Discharging');
}
