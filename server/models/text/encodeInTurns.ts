// Encodes texts and renders conversations without blocking other requests of the process: piece by piece, and very long
// texts and lines on another thread. A text of some megabytes takes seconds, and the regular expressions of a tokenizer
// can take even longer.
import { yieldTurn } from '../../machine/turns';
import type { Conversation } from '../../protocol/conversation';
import { stringifyPythonNumbers } from '../../rules/pythonNumbers';
import {
  EncodingThread,
  type Encoding,
  type Parts,
  type ThreadAnswer,
  type ThreadTask,
} from './encodingThread';
import type { Tokenizer } from './tokenizer';

/** Longest piece to encode on this thread, in characters: it takes some milliseconds with any vocabulary. */
const MAX_PIECE_LENGTH = 16_000;
/** Longest text to encode on this thread: it takes about as long as starting another thread. */
const MAX_TEXT_LENGTH = 250_000;
/** Maximum messages to render on this thread, which take a template some 30 ms. */
const MAX_MESSAGES = 1_000;
/** Maximum characters to render, or to split into pieces, on this thread; both take some 30 ms. */
const MAX_CHARACTERS = 1e6;
/** Ids to copy before a pause. */
const COPIED_AT_ONCE = 50_000;

/**
 * The running encoding threads of the process, by the folder of their tokenizer. A thread ends itself when it is idle.
 */
class EncodingThreads {
  readonly #running = new Map<string, EncodingThread>();

  run(directory: string, task: ThreadTask): Promise<ThreadAnswer> {
    const thread = this.#running.get(directory) ?? this.#start(directory);
    return thread.run(task);
  }

  #start(directory: string): EncodingThread {
    const thread: EncodingThread = new EncodingThread(directory, () => {
      if (this.#running.get(directory) === thread) this.#running.delete(directory);
    });
    this.#running.set(directory, thread);
    return thread;
  }
}

const threads = new EncodingThreads();

/** Returns the token ids of an encoding, as `encodeHere` does. */
export async function encodeInTurns(tokenizer: Tokenizer, encoding: Encoding): Promise<number[]> {
  const { directory } = tokenizer;
  const texts = textsOf(encoding);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (directory !== undefined && characters > MAX_CHARACTERS)
    return await encodeOnThread(directory, encoding);
  const pieces = texts.flatMap((text) => tokenizer.uncachedPieces?.(text) ?? []);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (
    directory !== undefined &&
    (length > MAX_TEXT_LENGTH || pieces.some((piece) => piece.length > MAX_PIECE_LENGTH))
  )
    return await encodeOnThread(directory, encoding);
  // Encodes a long text piece by piece into the tokenizer's cache, from which the encoding below takes the ids.
  for (const piece of length > MAX_PIECE_LENGTH ? pieces : []) {
    await yieldTurn();
    tokenizer.encodeText(piece);
  }
  await yieldTurn();
  if (encoding.method !== 'encodeParts' || !tokenizer.encodeSteps) return encodeHere(tokenizer, encoding);
  const steps: (readonly number[])[] = [];
  for (const ids of tokenizer.encodeSteps(encoding.input)) {
    steps.push(ids);
    await yieldTurn();
  }
  return steps.flat();
}

async function encodeOnThread(directory: string, encoding: Encoding): Promise<number[]> {
  const answer = await threads.run(directory, encoding);
  return 'ids' in answer ? await listOf(answer.ids) : [];
}

/**
 * Returns the result of `render`, which must render with the chat template in `directory`: for long conversations,
 * another thread loads that template. Without a folder, long conversations are rendered on this thread too. Throws the
 * errors of the template.
 */
export async function renderInTurns(
  directory: string | undefined,
  conversation: Conversation,
  render: (conversation: Conversation) => Parts,
): Promise<Parts> {
  const { messages, tools } = conversation;
  const characters = messages.reduce(
    (sum, { content, reasoning = '', toolCalls = [] }) =>
      sum + content.length + reasoning.length + lengthAsJson(toolCalls),
    lengthAsJson(tools),
  );
  await yieldTurn();
  if (directory === undefined || (messages.length <= MAX_MESSAGES && characters <= MAX_CHARACTERS))
    return render(conversation);
  const answer = await threads.run(directory, { method: 'render', input: conversation });
  return 'parts' in answer ? answer.parts : undefined;
}

/** Returns the token ids of an encoding, computed on this thread without a pause. */
export function encodeHere(tokenizer: Tokenizer, { method, input }: Encoding): number[] {
  return method === 'encodeParts' ? tokenizer.encodeParts(input) : tokenizer[method](input);
}

function lengthAsJson(list: readonly object[]): number {
  return list.length === 0 ? 0 : stringifyPythonNumbers(list).length;
}

function textsOf({ input }: Encoding): readonly string[] {
  return typeof input === 'string' ? [input] : input.map(({ text }) => text);
}

/** Copies ids to a list with pauses: three million ids would block the process for 200 ms. */
async function listOf(ids: Int32Array): Promise<number[]> {
  const list = new Array<number>(ids.length);
  for (let i = 0; i < ids.length; i++) {
    if (i % COPIED_AT_ONCE === 0) await yieldTurn();
    list[i] = ids[i] ?? 0;
  }
  return list;
}
