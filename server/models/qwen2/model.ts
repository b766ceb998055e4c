// Dense Qwen2 and Qwen2.5, tied or untied: the Llama shape with biases on queries, keys and values.
import { denseDecoder } from '../denseDecoder';
import { parseQwen2Config } from './config';

export const loadQwen2 = denseDecoder(parseQwen2Config);
