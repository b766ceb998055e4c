// The thread of encodeApart: loads the tokenizer of a folder once, and answers in order.
import { parentPort, workerData } from 'node:worker_threads';
import { InputError } from '../../rules/inputError';
import { encodeHere, type Encoding, type EncodingAnswer } from './encodeApart';
import { loadTokenizer, type Tokenizer } from './tokenizer';

let tokenizer: Tokenizer | undefined;

parentPort?.on('message', (encoding: Encoding) => {
  const answer = answerTo(encoding);
  parentPort?.postMessage(answer, 'ids' in answer ? [answer.ids.buffer as ArrayBuffer] : []);
});

function answerTo(encoding: Encoding): EncodingAnswer {
  try {
    tokenizer ??= loadTokenizer(String(workerData));
    if (!tokenizer) throw new Error('tokenizer.json is gone');
    return { ids: Int32Array.from(encodeHere(tokenizer, encoding)) };
  } catch (error) {
    if (error instanceof InputError) return { problem: error.message };
    throw error;
  }
}
