// The thread of encodeApart: loads the tokenizer and the chat template of a folder once, and answers in order.
import { parentPort, workerData } from 'node:worker_threads';
import { InputError } from '../../rules/inputError';
import { loadChatTemplate, type ChatTemplate } from './chatTemplate';
import { encodeHere, type ThreadAnswer, type ThreadTask } from './encodeApart';
import { UnusedVariable } from './templateVariables';
import { loadTokenizer, type LoadedTokenizer } from './tokenizer';

const directory = String(workerData);
let tokenizer: LoadedTokenizer | undefined;
let template: ChatTemplate | InputError | undefined;

parentPort?.on('message', (task: ThreadTask) => {
  const answer = answerTo(task);
  parentPort?.postMessage(answer, 'ids' in answer ? [answer.ids.buffer as ArrayBuffer] : []);
});

function answerTo(task: ThreadTask): ThreadAnswer {
  try {
    tokenizer ??= loadTokenizer(directory);
    if (!tokenizer) throw new Error('tokenizer.json is gone');
    if (task.how !== 'render') return { ids: Int32Array.from(encodeHere(tokenizer, task)) };
    template ??= loadChatTemplate(directory, tokenizer);
    if (template instanceof InputError) throw template;
    const { messages, tools, variables } = task.input;
    return { parts: template?.(messages, tools, variables) };
  } catch (error) {
    if (error instanceof UnusedVariable) return { problem: error.message, variable: error.variable };
    if (error instanceof InputError) return { problem: error.message };
    throw error;
  }
}
