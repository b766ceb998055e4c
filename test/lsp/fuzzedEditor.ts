// An editor whose person does anything at any time: a seed decides on edits, cursor moves, requests, cancellations,
// acceptances, changes of file and of settings. Knows the protocol only.
import assert from 'node:assert/strict';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import {
  CancellationTokenSource,
  type InlineCompletionItem,
  type TextDocumentContentChangeEvent,
} from 'vscode-languageserver/node';
import { Rng } from '../../bench/rng';
import type { ServerSettings } from '../../server/protocol/messages';
import { insertedText, type EditorClient } from './editorClient';
import { FuzzedDocument, type FuzzedFile } from './fuzzedDocument';

/** What settings may become; those that are fixed are always sent along. */
export interface FuzzedSettings {
  readonly fixed: Partial<ServerSettings>;
  readonly cacheMemoryMB: readonly number[];
  readonly draftLength: readonly ServerSettings['draftLength'][];
  readonly prefetch: readonly ServerSettings['prefetch'][];
}

/** As often as they are named, in any order; then all of them again. */
export const ACTIONS = [
  ...Array<'type'>(6).fill('type'),
  ...Array<'ask'>(5).fill('ask'),
  ...Array<'accept'>(4).fill('accept'),
  ...Array<'rest'>(3).fill('rest'),
  ...(['ask explicitly', 'delete', 'undo', 'paste', 'move', 'switch', 'cancel', 'generate'] as const),
  ...(['change settings', 'define'] as const),
];
const PIECES = [
  'x',
  '  ',
  '\n',
  '\t',
  '.',
  '(',
  ') {\n',
  ' = ',
  'return ',
  'const a = ',
  '"',
  'é',
  '👍',
  '1;\n',
];
const WORD = /^\s*(?:\w+|\W)/;
const REST_MS = 300;

interface Shown {
  readonly in: FuzzedDocument;
  readonly version: number;
  readonly item: InlineCompletionItem;
}

export class FuzzedEditor {
  /** How often each thing was done. */
  readonly done = new Map<string, number>();
  readonly #rng: Rng;
  readonly #documents: readonly FuzzedDocument[];
  readonly #pending = new Set<Promise<unknown>>();
  #actions: (typeof ACTIONS)[number][] = [];
  #current: FuzzedDocument;
  #latest: CancellationTokenSource | undefined;
  #shown: Shown | undefined;
  #cacheMemoryMB = 0;

  constructor(
    private readonly client: EditorClient,
    files: readonly FuzzedFile[],
    private readonly settings: FuzzedSettings,
    seed: number,
  ) {
    this.#rng = new Rng(seed);
    this.#documents = files.map((file) => new FuzzedDocument(file));
    const [first] = this.#documents;
    assert.ok(first);
    this.#current = first;
  }

  /** As it was sent last. */
  get cacheMemoryMB(): number {
    return this.#cacheMemoryMB;
  }

  async start(): Promise<void> {
    await this.#changeSettings();
    for (const { document, text } of this.#documents) {
      const { uri, languageId, version } = document;
      const textDocument = { uri, languageId, version, text };
      await this.client.connection.sendNotification('textDocument/didOpen', { textDocument });
    }
  }

  /** One thing that a person does, at times with a wait for all answers. */
  async step(): Promise<void> {
    if (this.#actions.length === 0) this.#actions = [...ACTIONS];
    const [action = 'rest'] = this.#actions.splice(this.#rng.whole(0, this.#actions.length - 1), 1);
    this.#count(action);
    await this.#act(action);
    if (this.#rng.happens(0.5)) await this.#answered();
  }

  /** Closes all files once all is answered. */
  async end(): Promise<void> {
    await this.#answered();
    for (const { document } of this.#documents) await this.client.close(document.uri);
  }

  async #act(action: (typeof ACTIONS)[number]): Promise<void> {
    switch (action) {
      case 'type':
        await this.#change(this.#current.insert(this.#rng.pick(PIECES) ?? 'x'));
        return this.#ask('automatic');
      case 'ask':
        return this.#ask('automatic');
      case 'ask explicitly':
        return this.#ask('explicit');
      case 'accept':
        return await this.#accept();
      case 'delete':
        return await this.#change(this.#current.delete(this.#rng.whole(1, 30)));
      case 'undo':
        return await this.#change(this.#current.undo());
      case 'paste':
        return await this.#paste();
      case 'move':
        return this.#current.move(this.#rng);
      case 'switch':
        this.#current = this.#rng.pick(this.#documents) ?? this.#current;
        return;
      case 'cancel':
        return this.#latest?.cancel();
      case 'generate':
        return this.#generate();
      case 'change settings':
        return await this.#changeSettings();
      case 'define':
        return await this.#define();
      case 'rest':
        await this.#answered();
        // The suggestion after the shown one is found out meanwhile, as far as it comes.
        return await pause(this.#rng.whole(0, REST_MS));
    }
  }

  #ask(trigger: 'automatic' | 'explicit'): void {
    const asked = this.#current;
    const { version } = asked.document;
    const { token } = this.#source();
    const answer = this.client.complete(asked.place, { invoked: trigger === 'explicit', token });
    this.#keep(
      answer.then((items) => {
        const item = items && this.#rng.pick(items);
        if (item && asked.document.version === version) this.#shown = { in: asked, version, item };
      }),
    );
  }

  #generate(): void {
    const { cursor, text, document } = this.#current;
    const end = this.#rng.happens(0.5) ? cursor : Math.min(text.length, cursor + 20);
    const request = { uri: document.uri, instruction: 'say more', start: cursor, end };
    this.#keep(this.client.generate(request, { token: this.#source().token }));
  }

  /** Any of the texts as what the current file imports. */
  async #define(): Promise<void> {
    const definitions = this.#documents
      .filter(() => this.#rng.happens(0.5))
      .map(({ document, text }) => ({ uri: document.uri, text }));
    await this.client.define({ uri: this.#current.document.uri, definitions });
  }

  /** Some requests are cancelled right away or a few turns later. */
  #source(): CancellationTokenSource {
    const source = (this.#latest = new CancellationTokenSource());
    if (this.#rng.happens(0.25)) this.#keep(cancelIn(this.#rng.whole(0, 3), source));
    return source;
  }

  /** The whole suggestion, its first line or its first word. */
  async #accept(): Promise<void> {
    if (this.#rng.happens(0.8)) await this.#answered();
    const { in: shownIn, version, item } = this.#shown ?? {};
    if (!item || shownIn !== this.#current || shownIn.document.version !== version) return;
    const text = insertedText(item);
    const line = text.slice(0, text.indexOf('\n') + 1 || text.length);
    const part = this.#rng.pick([text, text, line, WORD.exec(text)?.[0] ?? text]) ?? text;
    this.#count('accepted');
    await this.#change(this.#current.insert(part));
    this.#ask('automatic');
  }

  async #paste(): Promise<void> {
    const { text = '' } = this.#rng.pick(this.#documents) ?? {};
    const from = this.#rng.whole(0, text.length);
    await this.#change(this.#current.insert(text.slice(from, from + this.#rng.whole(1, 150))));
  }

  async #change(change: TextDocumentContentChangeEvent | undefined): Promise<void> {
    const { uri, version } = this.#current.document;
    if (change) await this.client.change(uri, version, [change]);
  }

  async #changeSettings(): Promise<void> {
    const { fixed, cacheMemoryMB, draftLength, prefetch } = this.settings;
    this.#cacheMemoryMB = this.#rng.pick(cacheMemoryMB) ?? 0;
    await this.client.settings({
      ...fixed,
      cacheMemoryMB: this.#cacheMemoryMB,
      draftLength: this.#rng.pick(draftLength),
      prefetch: this.#rng.pick(prefetch),
    });
  }

  #count(what: string): void {
    this.done.set(what, (this.done.get(what) ?? 0) + 1);
  }

  #keep(work: Promise<unknown>): void {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work)).catch(() => undefined);
  }

  async #answered(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}

async function cancelIn(turns: number, source: CancellationTokenSource): Promise<void> {
  // What is cancelled before anybody has asked for its token cannot be cancelled again.
  void source.token;
  for (let i = 0; i < turns; i++) await turn();
  source.cancel();
}
