// Dense Qwen3, tied or untied: the Llama shape with a norm per head on queries and keys.
import { denseDecoder } from '../denseDecoder';
import { parseQwen3Config } from './config';

export const loadQwen3 = denseDecoder(parseQwen3Config);
