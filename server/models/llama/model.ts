// Llama 2 and 3, tied or untied, with or without biases: the shape that gave the others their names.
import { denseDecoder } from '../denseDecoder';
import { parseLlamaConfig } from './config';

export const loadLlama = denseDecoder(parseLlamaConfig);
