// The program of the encoding thread: loads the tokenizer and the chat template of a folder when they are first needed,
// and answers tasks in order.
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { Conversation } from '../../protocol/conversation';
import { UserError } from '../../rules/userError';
import { encodeHere } from './encodeInTurns';
import { problemOf, type ThreadAnswer, type ThreadTask } from './encodingThread';
import { ReloadingTemplate } from './reloadingTemplate';
import { loadTokenizer } from './loadTokenizer';
import type { LoadedTokenizer } from './tokenizer';
import { addedTokens } from './addedTokens';

class EncodingWorker {
  #tokenizer: LoadedTokenizer | undefined;
  #template: ReloadingTemplate | undefined;

  constructor(private readonly directory: string) {}

  answerTo(task: ThreadTask): ThreadAnswer {
    try {
      if (task.method === 'render') return this.#render(task.input);
      this.#tokenizer ??= loadTokenizer(this.directory);
      if (!this.#tokenizer) throw missingTokenizer(this.directory);
      return { ids: Int32Array.from(encodeHere(this.#tokenizer, task)) };
    } catch (error) {
      if (error instanceof UserError) return { problem: problemOf(error) };
      throw error;
    }
  }

  #render({ messages, tools, variables }: Conversation): ThreadAnswer {
    this.#template ??= this.#loadTemplate();
    const parts = this.#template.render(messages, tools, variables);
    if (this.#template.problem) throw this.#template.problem;
    return { parts };
  }

  /** Loads the template with the added tokens only: loading the whole tokenizer takes a hundred times as long. */
  #loadTemplate(): ReloadingTemplate {
    const added = addedTokens(join(this.directory, 'tokenizer.json'));
    if (!added) throw missingTokenizer(this.directory);
    return new ReloadingTemplate(this.directory, added);
  }
}

/** Creates the error that ends the thread. */
function missingTokenizer(directory: string): Error {
  return new Error(`tokenizer.json of ${directory} was removed.`);
}

const worker = new EncodingWorker(String(workerData));

parentPort?.on('message', (task: ThreadTask) => {
  const answer = worker.answerTo(task);
  parentPort?.postMessage(answer, 'ids' in answer ? [answer.ids.buffer as ArrayBuffer] : []);
});
