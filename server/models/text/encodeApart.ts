// Encodes texts and renders conversations so that no other request of the process waits: piece by piece, and very long
// texts and lines on a thread of their own. A text of some megabytes takes seconds, and the expressions of a tokenizer can
// take longer still.
import { othersTurn } from '../../machine/turns';
import type { Conversation } from './conversation';
import { EncodingThread, type Encoding, type Parts } from './encodingThread';
import type { Tokenizer } from './tokenizer';

export type { Encoding } from './encodingThread';

/** Characters of a piece that takes some milliseconds with any vocabulary. */
const LONG_PIECE = 16_000;
/** Characters that take about as long as the start of the thread. */
const LONG_TEXT = 250_000;
/** A conversation of this size takes a template some 30 ms; finding pieces in so many characters takes as long. */
const MANY_MESSAGES = 1_000;
const MANY_CHARACTERS = 1e6;
const COPIED_AT_ONCE = 50_000;

/** By the folder of their tokenizer. */
const threads = new Map<string, EncodingThread>();

/** Returns the result of the method. Throws what it throws. */
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

/** Returns the result of `render`, the chat template in the folder of the tokenizer. Throws what it throws. */
export async function renderApart(
  { directory }: Pick<Tokenizer, 'directory'>,
  conversation: Conversation,
  render: (conversation: Conversation) => Parts,
): Promise<Parts> {
  const { messages } = conversation;
  const characters = messages.reduce(
    (sum, { content, reasoning = '' }) => sum + content.length + reasoning.length,
    0,
  );
  await othersTurn();
  if (directory === undefined || (messages.length <= MANY_MESSAGES && characters <= MANY_CHARACTERS))
    return render(conversation);
  const answer = await threadOf(directory).ask({ how: 'render', input: conversation });
  return 'parts' in answer ? answer.parts : undefined;
}

function threadOf(directory: string): EncodingThread {
  const running = threads.get(directory);
  if (running) return running;
  const thread: EncodingThread = new EncodingThread(directory, () => {
    if (threads.get(directory) === thread) threads.delete(directory);
  });
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
