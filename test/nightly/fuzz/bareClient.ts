// A client that sends any message, valid or not, and records the raw answers.
import assert from 'node:assert/strict';
import type { Readable, Writable } from 'node:stream';
import { StreamMessageReader } from 'vscode-languageserver/node';
import { Method } from '../../../server/protocol/messages';
import { jsonText, type Json } from './oddValues';

export interface Sent {
  readonly isRequest: boolean;
  readonly method: string;
  readonly params: Json;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly state?: string };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export class BareClient {
  #answers: Message[] = [];
  #lastId = 0;
  #state = '';
  #arrived: () => void = () => undefined;

  constructor(
    from: Readable,
    private readonly to: Writable,
  ) {
    new StreamMessageReader(from).listen((given) => {
      const message = given as Message;
      if (message.method === Method.status) this.#state = message.params?.state ?? '';
      if (message.method === undefined && typeof message.id === 'number') this.#answers.push(message);
      this.#arrived();
    });
  }

  /** Sends a message; returns the id of a request, and undefined for a notification. */
  send({ isRequest, method, params }: Sent): number | undefined {
    const id = isRequest ? (this.#lastId += 1) : undefined;
    // Formatted by hand, as JavaScript cannot write some numbers and depths.
    const json = jsonText(params);
    const fields = ['"jsonrpc":"2.0"', `"method":${JSON.stringify(method)}`];
    if (id !== undefined) fields.push(`"id":${String(id)}`);
    if (json !== 'null') fields.push(`"params":${json}`);
    this.to.write(framed(`{${fields.join(',')}}`));
    return id;
  }

  notify(method: string, params: Json): void {
    this.send({ isRequest: false, method, params });
  }

  async request(method: string, params: Json): Promise<unknown> {
    const { result, error } = await this.answerTo(this.send({ isRequest: true, method, params }));
    assert.equal(error, undefined);
    return result;
  }

  async answerTo(requestId: number | undefined): Promise<Message> {
    const findAnswer = (): Message | undefined => this.#answers.find(({ id }) => id === requestId);
    await this.#waitUntil(() => findAnswer() !== undefined);
    return findAnswer() ?? assert.fail();
  }

  async ready(): Promise<void> {
    await this.#waitUntil(() => this.#state === 'ready');
  }

  /** Returns all answers so far and forgets them; ids restart. */
  takeAnswers(): readonly Message[] {
    this.#lastId = 0;
    return this.#answers.splice(0);
  }

  async #waitUntil(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => (this.#arrived = resolve));
  }
}

function framed(text: string): string {
  return `Content-Length: ${String(Buffer.byteLength(text))}\r\n\r\n${text}`;
}
