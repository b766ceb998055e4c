// Encodes texts and renders conversations so that nobody else in the process waits: piece by piece, and very long ones and
// long lines on a thread of their own, with a copy of the tokenizer and the chat template. A text of some megabytes takes
// seconds, and the expressions of a tokenizer may take longer still.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { othersTurn } from '../../machine/withinTime';
import { InputError } from '../../rules/inputError';
import { type Conversation, UnusedVariable } from './chatTemplate';
import type { PromptPart, Tokenizer } from './tokenizer';

/** A method of the tokenizer, and what it is given. */
export type Encoding =
  | { readonly how: 'encodePrompt' | 'encodeText'; readonly input: string }
  | { readonly how: 'encodeParts'; readonly input: readonly PromptPart[] };

export type ThreadTask = Encoding | { readonly how: 'render'; readonly input: Conversation };
type Parts = readonly PromptPart[] | undefined;
/** The ids of an encoding, the parts of a conversation, or what an InputError says, with the variable of an unused one. */
export type ThreadAnswer =
  | { readonly ids: Int32Array }
  | { readonly parts: Parts }
  | { readonly problem: string; readonly variable?: string };

/** Takes some milliseconds with any vocabulary. */
const LONG_PIECE = 16_000;
/** What takes about as long as to start the thread. */
const LONG_TEXT = 250_000;
/** Of a conversation, which take a template some 30 ms; so many characters also take as long to find pieces in. */
const MANY_MESSAGES = 1_000;
const MANY_CHARACTERS = 1e6;
const COPIED_AT_ONCE = 50_000;
/** A copy takes up to a few hundred megabytes. */
const IDLE_MS = 10_000;

/** By the folder of their tokenizer. */
const threads = new Map<string, Thread>();

/** What the method gives. Throws what it throws. */
export async function encodeApart(tokenizer: Tokenizer, encoding: Encoding): Promise<number[]> {
  const { directory } = tokenizer;
  const texts = textsOf(encoding);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (directory !== undefined && characters > MANY_CHARACTERS) return await encodedThere(directory, encoding);
  const pieces = texts.flatMap((text) => tokenizer.unknownPieces?.(text) ?? []);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (directory !== undefined && (length > LONG_TEXT || pieces.some((piece) => piece.length > LONG_PIECE)))
    return await encodedThere(directory, encoding);
  for (const piece of length > LONG_PIECE ? pieces : []) {
    await othersTurn();
    tokenizer.encodeText(piece);
  }
  await othersTurn();
  if (encoding.how !== 'encodeParts' || !tokenizer.encodeSteps) return encodeHere(tokenizer, encoding);
  const steps: (readonly number[])[] = [];
  for (const ids of tokenizer.encodeSteps(encoding.input)) {
    steps.push(ids);
    await othersTurn();
  }
  return steps.flat();
}

async function encodedThere(directory: string, encoding: Encoding): Promise<number[]> {
  const answer = await threadOf(directory).ask(encoding);
  return 'ids' in answer ? await listOf(answer.ids) : [];
}

/** The conversation as `render`, the chat template in the folder of the tokenizer, has it. Throws what it throws. */
export async function renderApart(
  { directory }: Pick<Tokenizer, 'directory'>,
  conversation: Conversation,
  render: (conversation: Conversation) => Parts,
): Promise<Parts> {
  const { messages } = conversation;
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  await othersTurn();
  if (directory === undefined || (messages.length <= MANY_MESSAGES && characters <= MANY_CHARACTERS))
    return render(conversation);
  const answer = await threadOf(directory).ask({ how: 'render', input: conversation });
  return 'parts' in answer ? answer.parts : undefined;
}

function threadOf(directory: string): Thread {
  const thread = threads.get(directory) ?? new Thread(directory);
  threads.set(directory, thread);
  return thread;
}

export function encodeHere(tokenizer: Tokenizer, { how, input }: Encoding): number[] {
  return how === 'encodeParts' ? tokenizer.encodeParts(input) : tokenizer[how](input);
}

function textsOf({ input }: Encoding): readonly string[] {
  return typeof input === 'string' ? [input] : input.map(({ text }) => text);
}

/** In turns, as three million hold the process for 200 ms. */
async function listOf(ids: Int32Array): Promise<number[]> {
  const list = new Array<number>(ids.length);
  for (let i = 0; i < ids.length; i++) {
    if (i % COPIED_AT_ONCE === 0) await othersTurn();
    list[i] = ids[i] ?? 0;
  }
  return list;
}

function errorOf({ problem, variable }: { problem: string; variable?: string }): Error {
  if (variable !== undefined) return new UnusedVariable(variable);
  return new InputError({ sentence: problem, expected: '', got: '', remedy: '' });
}

interface Waiting {
  readonly resolve: (answer: ThreadAnswer) => void;
  readonly reject: (error: Error) => void;
}

class Thread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #idle: NodeJS.Timeout | undefined;

  constructor(private readonly directory: string) {
    this.#worker = new Worker(join(__dirname, 'encodingWorker.js'), { workerData: directory });
    this.#worker.unref();
    this.#worker.on('message', (answer: ThreadAnswer) => {
      const first = this.#waiting.shift();
      if ('problem' in answer) first?.reject(errorOf(answer));
      else first?.resolve(answer);
      if (this.#waiting.length === 0) this.#rest();
    });
    const ended = 'The thread that encodes long texts has ended';
    this.#worker.on('error', (cause: Error) => this.#end(new Error(ended, { cause })));
    this.#worker.on('exit', () => this.#end(new Error(ended)));
  }

  /** In the order of the calls. */
  ask(task: ThreadTask): Promise<ThreadAnswer> {
    clearTimeout(this.#idle);
    // The process must not end before the answer.
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(task);
    });
  }

  #rest(): void {
    this.#worker.unref();
    this.#idle = setTimeout(() => {
      threads.delete(this.directory);
      void this.#worker.terminate();
    }, IDLE_MS).unref();
  }

  #end(error: Error): void {
    if (threads.get(this.directory) === this) threads.delete(this.directory);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
