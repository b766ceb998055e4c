// The thread of encodeApart: loads the tokenizer of a folder once and answers in order.
import { parentPort, workerData } from 'node:worker_threads';
import { InputError } from '../../rules/inputError';
import { encodeHere, type Encoding, type ThreadAnswer } from './encodeApart';
import { loadTokenizer, type LoadedTokenizer } from './tokenizer';

let tokenizer: LoadedTokenizer | undefined;

parentPort?.on('message', (task: Encoding) => {
  const answer = answerTo(task);
  parentPort?.postMessage(answer, 'ids' in answer ? [answer.ids.buffer as ArrayBuffer] : []);
});

function answerTo(task: Encoding): ThreadAnswer {
  try {
    tokenizer ??= loadTokenizer(String(workerData));
    if (!tokenizer) throw new Error('tokenizer.json is gone');
    return { ids: Int32Array.from(encodeHere(tokenizer, task)) };
  } catch (error) {
    if (error instanceof InputError) return { problem: error.message };
    throw error;
  }
}
