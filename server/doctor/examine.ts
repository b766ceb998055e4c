// Examines this machine: the built-in pair in every mode, in processes of their own, as MLX ends the process when something
// is wrong. What ends one check hides no other.
import { cpus, platform, release, totalmem, type, arch } from 'node:os';
import { InputError } from '../rules/inputError';
import type { DeviceName } from '../models/mlx/device';
import type { Check } from './checkPair';
import type { DoctorProcess } from './doctorProcess';
import type { Addon, Question } from './doctorWorker';
import { failure } from './finding';
import type { Measures } from './measure';
import { modeName, MODES, type Mode } from './modes';
import { withoutPaths } from './withoutPaths';

export interface Machine {
  readonly flashline: string;
  readonly nodeMlx: string;
  readonly node: string;
  readonly platform: string;
  readonly system: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly gpu: Addon['gpu'];
}

export interface ModeCheck extends Check {
  readonly mode: Mode;
  readonly network: string;
}

export type DeviceMeasures = { readonly device: DeviceName } & (Measures | { readonly problem: string });

export interface Examination {
  readonly machine: Machine;
  readonly seconds: number;
  readonly checks: readonly ModeCheck[];
  readonly measures: readonly DeviceMeasures[];
}

export interface ExamineOptions {
  /** Of Flashline. */
  readonly version: string;
  /** Undefined for all that there are. */
  readonly device: DeviceName | undefined;
  readonly process: Pick<DoctorProcess, 'ask' | 'end'>;
  readonly progress: (line: string) => void;
}

const PAIR = 'built-in pair';

export async function examine(options: ExamineOptions): Promise<Examination> {
  const { version, device, progress } = options;
  const startedAt = performance.now();
  const addon = await askAddon(options.process);
  const devices = requireDevices(addon, device);
  const modes = devices.flatMap((each) => MODES[each]);
  const total = modes.length + devices.length;
  let done = 0;
  const ask = async <T>(what: string, question: Question): Promise<T | { readonly problem: string }> => {
    progress(`${String(++done)}/${String(total)} ${what}`);
    const answer = await options.process.ask(question);
    return 'problem' in answer ? { problem: withoutPaths(answer.problem) } : (answer.result as T);
  };
  const checks: ModeCheck[] = [];
  for (const mode of modes) {
    const found = await ask<Check>(modeName(mode), { kind: 'pair', mode });
    const check =
      'problem' in found ? { plain: failure(found.problem), drafted: failure(found.problem) } : found;
    checks.push({ mode, network: PAIR, ...check });
    // A number type and a device to itself.
    options.process.end();
  }
  const measures: DeviceMeasures[] = [];
  for (const each of devices)
    measures.push({
      device: each,
      ...(await ask<Measures>(`measuring the ${each.toUpperCase()}`, { kind: 'measure', device: each })),
    });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return {
    machine: { flashline: version, nodeMlx: addon.version, ...thisComputer(), gpu: addon.gpu },
    seconds,
    checks,
    measures,
  };
}

async function askAddon(worker: ExamineOptions['process']): Promise<Addon> {
  const answer = await worker.ask({ kind: 'addon' });
  if ('result' in answer) return answer.result as Addon;
  const remedy = 'reinstall Flashline, or run "npm run setup" in a clone';
  throw new InputError({ expected: 'the native MLX addon to load', got: answer.problem, remedy });
}

function requireDevices({ gpu }: Addon, wanted: DeviceName | undefined): readonly DeviceName[] {
  if (wanted === undefined) return gpu ? ['cpu', 'gpu'] : ['cpu'];
  if (wanted === 'cpu' || gpu) return [wanted];
  throw new InputError({ expected: 'a Metal GPU for --device gpu', got: 'none', remedy: 'use --device cpu' });
}

function thisComputer() {
  return {
    node: process.versions.node,
    platform: `${platform()}-${arch()}`,
    system: `${type()} ${release()}`,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
  };
}
