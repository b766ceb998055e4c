// Whether the machine runs on a battery, as the system tells it. Asked now and then, in the background; where
// nothing can be found out, the machine counts as plugged in.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface PowerSourceOptions {
  readonly platform?: NodeJS.Platform;
  /** Where Linux keeps a folder for each supply. */
  readonly suppliesFolder?: string;
  /** Milliseconds, from any start. */
  readonly now?: () => number;
}

/** What Linux says of one supply; undefined where it says nothing. */
export interface PowerSupply {
  readonly type: string | undefined;
  readonly online?: string | undefined;
  readonly status?: string | undefined;
  /** `Device` for the battery of a mouse or the like. */
  readonly scope?: string | undefined;
}

const KEPT_MS = 30_000;
const PATIENCE_MS = 2_000;

/** Gives a function that tells whether the machine is plugged in, and asks the system every half a minute at most. */
export function powerSource({
  platform = process.platform,
  suppliesFolder = '/sys/class/power_supply',
  now = () => performance.now(),
}: PowerSourceOptions = {}): () => Promise<boolean> {
  let asked = -Infinity;
  let answer = Promise.resolve(true);
  return () => {
    if (now() - asked >= KEPT_MS) {
      asked = now();
      answer = readPluggedIn(platform, suppliesFolder).catch(() => true);
    }
    return answer;
  };
}

/** An external supply decides; without one, a battery of the machine's own that is being emptied. */
export function pluggedInByLinux(supplies: readonly PowerSupply[]): boolean {
  const batteries = supplies.filter(({ type, scope }) => type === 'Battery' && scope !== 'Device');
  const external = supplies.filter(({ type, online }) => type !== 'Battery' && online !== undefined);
  if (batteries.length === 0 || external.some(({ online }) => online !== '0')) return true;
  return external.length === 0 && batteries.every(({ status }) => status !== 'Discharging');
}

/** By the output of `pmset -g batt`. */
export function pluggedInByMac(output: string): boolean {
  const source = /drawing from '([^']+)'/.exec(output)?.[1];
  return source === undefined || source === 'AC Power';
}

async function readPluggedIn(platform: NodeJS.Platform, suppliesFolder: string): Promise<boolean> {
  if (platform === 'linux') return pluggedInByLinux(await readSupplies(suppliesFolder));
  if (platform !== 'darwin') return true;
  const { stdout } = await promisify(execFile)('pmset', ['-g', 'batt'], { timeout: PATIENCE_MS });
  return pluggedInByMac(stdout);
}

async function readSupplies(folder: string): Promise<PowerSupply[]> {
  const names = await readdir(folder);
  return await Promise.all(
    names.map(async (name) => {
      const field = async (file: string): Promise<string | undefined> =>
        (await readFile(join(folder, name, file), 'utf8').catch(() => undefined))?.trim();
      const [type, online, status, scope] = await Promise.all(
        ['type', 'online', 'status', 'scope'].map(field),
      );
      return { type, online, status, scope };
    }),
  );
}
