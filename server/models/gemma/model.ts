// Gemma of the first generation: the Llama shape with a GELU gate, norms stored less 1 and scaled embeddings.
import { denseDecoder } from '../denseDecoder';
import { parseGemmaConfig } from './config';

export const loadGemma = denseDecoder(parseGemmaConfig);
