// What speaks against a model before its weights are downloaded, each as an error that says what to do, or undefined.
// Reads configs and asks the system for numbers; downloads nothing.
import { InputError } from '../inputError';
import type { ConfigFields } from '../models/configFields';
import { hashProblem } from '../models/targetHash';
import { formatSize } from '../rules/format';
import { architectureOf } from './modelFolder';
import { usableMemory, type Machine } from './machine';

/** For what else writes to the disk meanwhile. */
const DISK_MARGIN = 256 * 2 ** 20;

/** `model_type` of targets and `architectures` of drafters that can be loaded. */
export interface Loadable {
  readonly targets: readonly string[];
  readonly drafters: readonly string[];
}

export function diskProblem(missingBytes: number, machine: Machine, folder: string): InputError | undefined {
  if (missingBytes === 0 || missingBytes + DISK_MARGIN <= machine.freeDiskBytes) return undefined;
  return new InputError({
    expected: `${formatSize(missingBytes)} free in ${folder}`,
    got: formatSize(machine.freeDiskBytes),
    remedy: 'give it more space or use another folder (HF_HUB_CACHE)',
  });
}

/** `name` is what needs so many bytes. */
export function memoryProblem(bytes: number, name: string, machine: Machine): InputError | undefined {
  if (bytes <= usableMemory(machine)) return undefined;
  return new InputError({
    expected: `${formatSize(bytes)} of memory for ${name} on the ${machine.processor}`,
    got: `${formatSize(usableMemory(machine))} that can be used of ${formatSize(machine.memoryBytes)}`,
    remedy: 'choose fewer bits or a smaller pair',
  });
}

/** A target of an unknown family may still be of the Llama shape. */
export function familyProblem(
  config: ConfigFields,
  name: string,
  loadable: Loadable,
): InputError | undefined {
  if (loadable.drafters.includes(architectureOf(config))) return undefined;
  return unsupported(config.has('model_type') ? config.string('model_type') : 'none', name, loadable);
}

/** `family` is the `model_type` of a target. */
export function unsupported(family: string, name: string, { targets }: Loadable): InputError | undefined {
  if (targets.includes(family)) return undefined;
  return new InputError({
    expected: `${name} to be of a supported type (${targets.join(', ')})`,
    got: `model_type ${family}`,
    remedy: 'choose another model, or force this one (--force) if it is of the Llama shape',
  });
}

/** The hash of its target, where a drafter carries one, and the sizes in which it must be like its target. */
export function drafterProblem(target: ConfigFields, drafter: ConfigFields): InputError | undefined {
  const other = hashProblem(target, drafter);
  if (other) return other;
  // Targets that also see have their text model in there.
  const text = target.has('text_config') ? target.nested('text_config') : target;
  const equal = [
    ['hidden_size', 'hidden_size'],
    ['vocab_size', 'vocab_size'],
    ['num_target_layers', 'num_hidden_layers'],
  ] as const;
  for (const [own, theirs] of equal) {
    if (!drafter.has(own) || !text.has(theirs)) continue;
    const [got, expected] = [drafter.integer(own), text.integer(theirs)];
    if (got === expected) continue;
    return new InputError({
      expected: `${own} ${String(expected)} in the config of the drafter, as its target has`,
      got: String(got),
      remedy: 'choose the drafter that was made for this target',
    });
  }
  return undefined;
}
