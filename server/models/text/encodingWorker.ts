// The thread of encodeApart: loads the tokenizer and the chat template of a folder once, each when it is needed, and
// answers in order.
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { InputError } from '../../rules/inputError';
import { loadChatTemplate, type ChatTemplate, type Conversation, UnusedVariable } from './chatTemplate';
import { encodeHere, type ThreadAnswer, type ThreadTask } from './encodeApart';
import { loadTokenizer, type LoadedTokenizer } from './tokenizer';
import { addedTokens } from './tokenizerFile';

const GONE = 'tokenizer.json is gone';
const directory = String(workerData);
let tokenizer: LoadedTokenizer | undefined;
let template: ChatTemplate | InputError | undefined;

parentPort?.on('message', (task: ThreadTask) => {
  const answer = answerTo(task);
  parentPort?.postMessage(answer, 'ids' in answer ? [answer.ids.buffer as ArrayBuffer] : []);
});

function answerTo(task: ThreadTask): ThreadAnswer {
  try {
    if (task.how === 'render') return rendered(task.input);
    tokenizer ??= loadTokenizer(directory);
    if (!tokenizer) throw new Error(GONE);
    return { ids: Int32Array.from(encodeHere(tokenizer, task)) };
  } catch (error) {
    if (error instanceof UnusedVariable) return { problem: error.message, variable: error.variable };
    if (error instanceof InputError) return { problem: error.message };
    throw error;
  }
}

function rendered({ messages, tools, variables }: Conversation): ThreadAnswer {
  template ??= ownTemplate();
  if (template instanceof InputError) throw template;
  return { parts: template?.(messages, tools, variables) };
}

/** Of the tokenizer it needs only the added tokens, which are read in a hundredth of the time. */
function ownTemplate(): ChatTemplate | InputError | undefined {
  const added = addedTokens(join(directory, 'tokenizer.json'));
  if (!added) throw new Error(GONE);
  return loadChatTemplate(directory, added);
}
