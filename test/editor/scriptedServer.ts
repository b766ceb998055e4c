// The script of a language server that replaces Flashline's in a window: it records messages about suggestions, and
// answers requests for next edits and ghost text as a test says.
import { buildSync } from 'esbuild';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import type { InlineEdit, InlineEditParams } from '../../server/protocol/nextEditMessages';
import type { ScriptedMessage } from './scriptedServer/server';

/** An edit without the fields that the script fills in. */
export type ScriptedEdit = Pick<InlineEdit, 'text' | 'range'> & { readonly version?: number };

export class ScriptedServer {
  readonly messages: ScriptedMessage[] = [];
  /** Returns the next edits for a text. */
  edits: (
    text: string,
    params: InlineEditParams,
  ) => Promise<readonly ScriptedEdit[]> | readonly ScriptedEdit[] = () => [];
  /** Returns items of ghost text. */
  ghostText: (text: string, params: InlineEditParams) => Promise<readonly string[]> | readonly string[] =
    () => [];
  /** Folder of the extension with the scripted server. */
  readonly extension = mkdtempSync(join(tmpdir(), 'fl-ext-'));
  #editCount = 0;
  readonly #http = createServer((request, response) => {
    json(request)
      .then((message) => this.#answer(message as ScriptedMessage))
      .then((answer) => response.end(JSON.stringify(answer ?? null)))
      .catch((error: unknown) => response.destroy(error as Error));
  });

  private constructor() {
    mkdirSync(join(this.extension, 'dist'));
    for (const path of ['package.json', 'package.nls.json', 'media', 'docs', 'dist/extension.js'])
      symlinkSync(resolve(path), join(this.extension, path));
    buildSync({
      entryPoints: ['test/editor/scriptedServer/server.ts'],
      outfile: join(this.extension, 'dist/server.js'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'warning',
    });
  }

  static async start(): Promise<ScriptedServer> {
    const server = new ScriptedServer();
    server.#http.listen(0, '127.0.0.1');
    await once(server.#http, 'listening');
    return server;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Returns the parameters of the messages of a method, from the message with index `from` on. */
  sent(method: string, from = 0): unknown[] {
    return this.messages
      .slice(from)
      .filter((message) => message.method === method)
      .map(({ params }) => params);
  }

  async stop(): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, 'close');
    rmSync(this.extension, { recursive: true });
  }

  async #answer(message: ScriptedMessage): Promise<unknown> {
    this.messages.push(message);
    const { method, text = '' } = message;
    const params = message.params as InlineEditParams;
    if (method === 'textDocument/inlineCompletion') {
      const range = { start: params.position, end: params.position };
      return (await this.ghostText(text, params)).map((insertText) => ({ insertText, range }));
    }
    if (method !== 'textDocument/copilotInlineEdit') return null;
    const id = `edit-${(this.#editCount += 1)}`;
    const command = { title: 'accept', command: 'flashline.didAcceptNextEdit', arguments: [id] };
    const edits = (await this.edits(text, params)).map(({ version, ...edit }) => ({
      ...edit,
      command,
      textDocument: { ...params.textDocument, ...(version !== undefined && { version }) },
    }));
    return { edits };
  }
}

/** Returns the edit that replaces the `nth` occurrence of `old`, counted from 0; no edit if there is none. */
export function replacing(text: string, old: string, replacement: string, nth = 0): ScriptedEdit[] {
  const parts = text.split(old);
  if (parts.length < nth + 2) return [];
  const before = parts.slice(0, nth + 1).join(old);
  return [{ text: replacement, range: { start: positionAt(before), end: positionAt(before + old) } }];
}

/** Returns the position after the text `before`. */
function positionAt(before: string): { line: number; character: number } {
  const lines = before.split(/\r?\n/);
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}
