// Folders of the fixtures, and the goldens that the reference implementations computed from them. Paths are relative to
// the repository, where the tests run.
import { join } from 'node:path';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { tensorValues } from './fileTensor';
import { readFileTensors } from './safetensorsFile';
import type { Checkpoint } from './tinyCheckpoint';

export const QWEN3 = 'test/fixtures/targets/qwen3';
export const QWEN3_YARN = 'test/fixtures/targets/qwen3_yarn';
export const QWEN2 = 'test/fixtures/targets/qwen2';
export const LLAMA = 'test/fixtures/targets/llama';
export const MELLUM = 'test/fixtures/targets/mellum';
export const MINISTRAL3 = 'test/fixtures/targets/ministral3';
export const MISTRAL = 'test/fixtures/targets/mistral';
export const GEMMA = 'test/fixtures/targets/gemma';
export const GEMMA2 = 'test/fixtures/targets/gemma2';
export const GEMMA3 = 'test/fixtures/targets/gemma3';
export const GEMMA4 = 'test/fixtures/targets/gemma4';
export const GEMMA4_E = 'test/fixtures/targets/gemma4_e';
export const GEMMA4_MOE = 'test/fixtures/targets/gemma4_moe';
export const QWEN3_NEXT = 'test/fixtures/targets/qwen3_next';
export const QWEN3_5 = 'test/fixtures/targets/qwen3_5';
export const QWEN3_MOE = 'test/fixtures/targets/qwen3_moe';
export const DFLASH = 'test/fixtures/drafters/dflash';
export const DFLASH2 = 'test/fixtures/drafters/dflash2';
export const DSPARK = 'test/fixtures/drafters/dspark';
/** Drafter for PAIR_TARGET, trained like the built-in one. */
export const DSPARK_BUILT_IN = 'test/fixtures/drafters/dspark/built-in';
export const PAIR_CASES = 'test/fixtures/pair-cases.json';
export const PAIR_GOLDEN = 'test/fixtures/pair-golden.safetensors';
export const PAIR_TARGET = 'media/model/target';

/** Values of golden.safetensors by tensor name. */
export type Golden = (name: string) => number[];

export function readGolden(directory: string): Golden {
  return readGoldenFile(join(directory, 'golden.safetensors'));
}

export function readGoldenFile(file: string): Golden {
  const tensors = readFileTensors(file);
  return (name) => {
    const tensor = tensors[name];
    if (tensor === undefined) throw new RangeError(`${file} has no tensor ${name}.`);
    return tensorValues(tensor);
  };
}

/** Reads a fixture that a test can change and write elsewhere. */
export function readCheckpoint(directory: string): Checkpoint {
  const { object: config } = ConfigFields.read(join(directory, 'config.json'));
  return { config, tensors: readFileTensors(join(directory, 'model.safetensors')) };
}
