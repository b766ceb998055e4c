// What speaks against a model before its weights are downloaded, each as an error that says what to do, or undefined.
// Reads configs and asks the system for numbers; downloads nothing.
import { InputError } from '../inputError';
import type { ConfigFields } from '../models/configFields';
import { gigabytes } from './gigabytes';
import { usableMemory, type Machine } from './machine';
import { neededMemory, type PairVariant } from './pairVariant';

/** For what else writes to the disk meanwhile. */
const DISK_MARGIN = 256 * 2 ** 20;

export function diskProblem(missingBytes: number, machine: Machine, folder: string): InputError | undefined {
  if (missingBytes === 0 || missingBytes + DISK_MARGIN <= machine.freeDiskBytes) return undefined;
  return new InputError({
    expected: `${gigabytes(missingBytes)} free in ${folder}`,
    got: gigabytes(machine.freeDiskBytes),
    remedy: 'give it more space or use another folder (HF_HUB_CACHE)',
  });
}

export function memoryProblem(variant: PairVariant, machine: Machine): InputError | undefined {
  const needed = neededMemory(variant, machine.processor);
  if (needed <= usableMemory(machine)) return undefined;
  const { pair, bits } = variant;
  return new InputError({
    expected: `${gigabytes(needed)} of memory for ${pair.name} with ${String(bits)} bits on the ${machine.processor}`,
    got: `${gigabytes(usableMemory(machine))} that can be used of ${gigabytes(machine.memoryBytes)}`,
    remedy: 'choose fewer bits or a smaller pair',
  });
}

/** `architectures` are those of drafters that load; a target of an unknown family may still be of the Llama shape. */
export function familyProblem(
  config: ConfigFields,
  name: string,
  loadable: { readonly targets: readonly string[]; readonly drafters: readonly string[] },
): InputError | undefined {
  const architecture = config.has('architectures') ? (config.strings('architectures')[0] ?? '') : '';
  if (loadable.drafters.includes(architecture)) return undefined;
  const family = config.has('model_type') ? config.string('model_type') : 'none';
  if (loadable.targets.includes(family)) return undefined;
  return new InputError({
    expected: `${name} to be of a supported type (${loadable.targets.join(', ')})`,
    got: `model_type ${family}`,
    remedy: 'choose another model, or try this one with --force if it is of the Llama shape',
  });
}

/** Sizes in which a drafter must be like its target. */
export function drafterProblem(target: ConfigFields, drafter: ConfigFields): InputError | undefined {
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
