// Mistral, with or without a window: the Llama shape without biases.
import { denseDecoder } from '../denseDecoder';
import { parseMistralConfig } from './config';

export const loadMistral = denseDecoder(parseMistralConfig);
