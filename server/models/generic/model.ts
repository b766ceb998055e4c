// A model of an unknown family that is Llama in all but its name: by every field of its config.json, and by the name
// and shape of every tensor, which loading checks anyway.
import { loadLlama } from '../llama/model';
import type { LoadTarget } from '../target';
import { requireLlamaConfig } from './config';

export const loadGeneric: LoadTarget = async (directory, fields, ...rest) => {
  requireLlamaConfig(fields);
  return await loadLlama(directory, fields, ...rest);
};
