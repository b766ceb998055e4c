// An editor whose person does anything at any time: a seed decides on edits, cursor moves, requests, cancellations,
// acceptances, changes of file and of settings. Knows the protocol only.
import assert from 'node:assert/strict';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { CancellationTokenSource, type InlineCompletionItem } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { Chance } from '../../server/cli/replay/chance';
import { insertedText, type EditorClient } from './editorClient';

export interface FuzzedFile {
  readonly name: string;
  readonly languageId: string;
  readonly text: string;
}

/** Settings that are changed on the way; each list is what a setting may become. */
export interface FuzzedSettings {
  readonly fixed: object;
  readonly cacheMemoryMB: readonly number[];
  readonly draftLength: readonly (number | 'full' | 'adaptive')[];
  readonly prefetch: readonly string[];
}

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
const LONGEST = 900;
const REST_MS = 300;
const WORD = /^\s*(?:\w+|\W)/;

interface Open {
  readonly document: TextDocument;
  cursor: number;
  readonly undo: string[];
}

interface Shown {
  readonly open: Open;
  readonly version: number;
  readonly item: InlineCompletionItem;
}

export class FuzzedEditor {
  readonly #chance: Chance;
  readonly #open: Open[];
  readonly #pending = new Set<Promise<unknown>>();
  #latest: CancellationTokenSource | undefined;
  #current: Open;
  #shown: Shown | undefined;
  cacheMemoryMB: number;
  /** How often each thing was done. */
  readonly done = new Map<string, number>();

  constructor(
    private readonly client: EditorClient,
    files: readonly FuzzedFile[],
    private readonly settings: FuzzedSettings,
    seed: number,
  ) {
    this.#chance = new Chance(seed);
    this.#open = files.map(({ name, languageId, text }) => {
      const document = TextDocument.create(`file:///project/${name}`, languageId, 1, text);
      return { document, cursor: text.length >> 1, undo: [] };
    });
    const [first] = this.#open;
    assert.ok(first);
    this.#current = first;
    this.cacheMemoryMB = settings.cacheMemoryMB[0] ?? 0;
  }

  async start(): Promise<void> {
    for (const { document } of this.#open) {
      const { uri, languageId, version } = document;
      const textDocument = { uri, languageId, version, text: document.getText() };
      await this.client.connection.sendNotification('textDocument/didOpen', { textDocument });
    }
  }

  /** One thing that a person does, at times with a wait for all answers. */
  async step(): Promise<void> {
    await this.#act();
    if (this.#chance.happens(0.5)) await this.#answered();
  }

  async #act(): Promise<void> {
    const actions = [
      ...Array<'type'>(6).fill('type'),
      ...Array<'ask'>(5).fill('ask'),
      ...Array<'accept'>(4).fill('accept'),
      ...(['ask explicitly', 'delete', 'undo', 'paste', 'move', 'switch'] as const),
      ...(['cancel', 'generate', 'change settings', 'rest', 'rest', 'rest'] as const),
    ];
    const action = this.#chance.pick(actions) ?? 'rest';
    this.done.set(action, (this.done.get(action) ?? 0) + 1);
    switch (action) {
      case 'type':
        await this.#insert(this.#chance.pick(PIECES) ?? 'x');
        return this.#ask('automatic');
      case 'ask':
        return this.#ask('automatic');
      case 'ask explicitly':
        return this.#ask('explicit');
      case 'accept':
        return await this.#accept();
      case 'delete':
        return await this.#delete();
      case 'undo':
        return await this.#undo();
      case 'paste':
        return await this.#paste();
      case 'move':
        return this.#move();
      case 'switch':
        this.#current = this.#chance.pick(this.#open) ?? this.#current;
        return;
      case 'cancel':
        return this.#latest?.cancel();
      case 'generate':
        return this.#generate();
      case 'change settings':
        return await this.#changeSettings();
      case 'rest':
        await this.#answered();
        // The suggestion after the shown one is found out meanwhile, as far as it comes.
        return await pause(this.#chance.whole(0, REST_MS));
    }
  }

  /** Closes all files once all is answered. */
  async end(): Promise<void> {
    await this.#answered();
    for (const { document } of this.#open) await this.client.close(document.uri);
  }

  async #answered(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #ask(trigger: 'automatic' | 'explicit'): void {
    const open = this.#current;
    const { document, cursor } = open;
    const { version, uri } = document;
    const place = { uri, offset: cursor, position: document.positionAt(cursor) };
    const source = this.#source();
    const asked = this.client.complete(place, { invoked: trigger === 'explicit', token: source.token });
    this.#keep(
      asked.then((items) => {
        const item = items && this.#chance.pick(items);
        if (item && document.version === version) this.#shown = { open, version, item };
      }),
    );
  }

  #generate(): void {
    const { document, cursor } = this.#current;
    const end = Math.min(document.getText().length, cursor + this.#chance.whole(0, 1) * 20);
    const request = { uri: document.uri, instruction: 'say more', start: cursor, end };
    this.#keep(this.client.generate(request, { token: this.#source().token }));
  }

  /** Some requests are cancelled right away or a few turns later. */
  #source(): CancellationTokenSource {
    const source = (this.#latest = new CancellationTokenSource());
    if (this.#chance.happens(0.25)) this.#keep(cancelIn(this.#chance.whole(0, 3), source));
    return source;
  }

  /** The whole suggestion, its first word or its first line. */
  async #accept(): Promise<void> {
    if (this.#chance.happens(0.8)) await this.#answered();
    const { open, version, item } = this.#shown ?? {};
    if (!open || !item || open !== this.#current || open.document.version !== version) return;
    const text = insertedText(item);
    const line = text.slice(0, text.indexOf('\n') + 1 || text.length);
    const part = this.#chance.pick([text, text, line, WORD.exec(text)?.[0] ?? text]) ?? text;
    this.done.set('accepted', (this.done.get('accepted') ?? 0) + 1);
    await this.#insert(part);
    this.#ask('automatic');
  }

  async #insert(text: string): Promise<void> {
    const { cursor } = this.#current;
    await this.#replace(cursor, cursor, text);
  }

  async #delete(): Promise<void> {
    const { cursor } = this.#current;
    await this.#replace(Math.max(0, cursor - this.#chance.whole(1, 30)), cursor, '');
  }

  async #paste(): Promise<void> {
    const text = this.#chance.pick(this.#open)?.document.getText() ?? '';
    const from = this.#chance.whole(0, text.length);
    await this.#insert(text.slice(from, from + this.#chance.whole(1, 150)));
  }

  /** The whole text in one change, as some clients send it. */
  async #undo(): Promise<void> {
    const { document, undo } = this.#current;
    const text = undo.pop();
    if (text === undefined) return;
    TextDocument.update(document, [{ text }], document.version + 1);
    this.#current.cursor = Math.min(this.#current.cursor, text.length);
    await this.client.change(document.uri, document.version, [{ text }]);
  }

  #move(): void {
    const { document } = this.#current;
    const lines = document.getText().split('\n').length;
    const end = document.offsetAt({ line: this.#chance.whole(0, lines), character: 0 });
    this.#current.cursor = this.#chance.happens(0.5) ? end : this.#chance.whole(0, document.getText().length);
  }

  async #changeSettings(): Promise<void> {
    const { fixed, cacheMemoryMB, draftLength, prefetch } = this.settings;
    this.cacheMemoryMB = this.#chance.pick(cacheMemoryMB) ?? 0;
    await this.client.settings({
      ...fixed,
      cacheMemoryMB: this.cacheMemoryMB,
      draftLength: this.#chance.pick(draftLength),
      prefetch: this.#chance.pick(prefetch),
    });
  }

  async #replace(from: number, to: number, text: string): Promise<void> {
    const { document, undo } = this.#current;
    const tooLong = document.getText().length + text.length > LONGEST;
    // What is short is read fast.
    const end = tooLong ? Math.min(document.getText().length, to + 400) : to;
    undo.push(document.getText());
    const range = { start: document.positionAt(from), end: document.positionAt(end) };
    TextDocument.update(document, [{ range, text }], document.version + 1);
    this.#current.cursor = from + text.length;
    await this.client.change(document.uri, document.version, [{ range, text }]);
  }

  #keep(work: Promise<unknown>): void {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work)).catch(() => undefined);
  }
}

async function cancelIn(turns: number, source: CancellationTokenSource): Promise<void> {
  // What is cancelled before anybody has asked for its token cannot be cancelled again.
  void source.token;
  for (let i = 0; i < turns; i++) await turn();
  source.cancel();
}
