// A thread with a copy of a model's tokenizer and chat template, for work that would block the main thread too long.
// The copy takes up to a few hundred megabytes, so the thread ends after some idle seconds.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Conversation } from '../../protocol/conversation';
import { UserError } from '../../rules/userError';
import { TemplateRefusal } from './templateRefusal';
import { UnusedVariable } from './templateVariables';
import type { PromptPart } from './tokenizer';

/** A method of the tokenizer and its argument. */
export type Encoding =
  | { readonly method: 'encodePrompt' | 'encodeText'; readonly input: string }
  | { readonly method: 'encodeParts'; readonly input: readonly PromptPart[] };

export type ThreadTask = Encoding | { readonly method: 'render'; readonly input: Conversation };
export type Parts = readonly PromptPart[] | undefined;

/** A UserError in a message between threads, which cannot carry classes. */
export interface ThreadProblem {
  readonly message: string;
  /** Name of an unused variable. */
  readonly variable?: string;
  /** Sentence with which the template refuses the conversation. */
  readonly refusal?: string;
}

/** Ids of an encoding, parts of a conversation, or the problem with either. */
export type ThreadAnswer =
  { readonly ids: Int32Array } | { readonly parts: Parts } | { readonly problem: ThreadProblem };

const IDLE_MS = 10_000;
const ENDED =
  'The thread that encodes long texts has ended. Send the request again, or load the model again.';

/** Callbacks of a task without an answer. */
interface PendingTask {
  readonly resolve: (answer: ThreadAnswer) => void;
  readonly reject: (error: Error) => void;
}

export class EncodingThread {
  readonly #worker: Worker;
  readonly #pending: PendingTask[] = [];
  #idle: NodeJS.Timeout | undefined;

  /** Calls `onEnd` when the thread no longer accepts tasks. */
  constructor(
    directory: string,
    private readonly onEnd: () => void,
  ) {
    this.#worker = new Worker(join(__dirname, 'encodingWorker.js'), { workerData: directory });
    this.#worker.unref();
    this.#worker.on('message', (answer: ThreadAnswer) => {
      const first = this.#pending.shift();
      if ('problem' in answer) first?.reject(errorOf(answer.problem));
      else first?.resolve(answer);
      if (this.#pending.length === 0) this.#endWhenIdle();
    });
    this.#worker.on('error', (cause: Error) => this.#end(new Error(ENDED, { cause })));
    this.#worker.on('exit', () => this.#end(new Error(ENDED)));
  }

  /**
   * Runs a task on the thread; tasks are answered in the order of the calls. Rejects with the UserError of the task, or
   * with an Error if the thread ends first.
   */
  run(task: ThreadTask): Promise<ThreadAnswer> {
    clearTimeout(this.#idle);
    // Keeps the process alive until the answer.
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      // If this throws, no answer will come.
      this.#worker.postMessage(task);
      this.#pending.push({ resolve, reject });
    });
  }

  #endWhenIdle(): void {
    this.#worker.unref();
    this.#idle = setTimeout(() => {
      this.onEnd();
      void this.#worker.terminate();
    }, IDLE_MS).unref();
  }

  #end(error: Error): void {
    this.onEnd();
    for (const { reject } of this.#pending.splice(0)) reject(error);
  }
}

/** Converts an error to a message between threads. */
export function problemOf(error: UserError): ThreadProblem {
  const { message } = error;
  if (error instanceof UnusedVariable) return { message, variable: error.variable };
  return error instanceof TemplateRefusal ? { message, refusal: error.reason } : { message };
}

/** Converts a message from the thread back to an error. */
function errorOf({ message, variable, refusal }: ThreadProblem): Error {
  if (variable !== undefined) return new UnusedVariable(variable);
  if (refusal !== undefined) return new TemplateRefusal(refusal);
  return new UserError(message);
}
