// Tests which documents the server receives, as the editor opens and edits them and Flashline is turned off and on.
import assert from 'node:assert/strict';
import type { TextDocument } from 'vscode';
import type { GateReason } from '../../src/gate/gateReasons';
import { ServerDocuments } from '../../src/connection/serverDocuments';
import { fake } from '../support/fake';
import { workspace } from './support/fakeVscode';

/** A window with two files; records the notifications to the server. */
class Window {
  /** Reason for which Flashline is off. */
  off: GateReason | undefined;
  readonly hidden = new Set<TextDocument>();
  readonly a = file('a');
  readonly b = file('b');
  /** Number of requests to forget the edits of closed documents. */
  forgets = 0;
  #sent: string[] = [];
  readonly server = {
    isRunning: true,
    notify: (method: string, params?: object): void => {
      if (params === undefined) {
        this.forgets += 1;
        return;
      }
      const { textDocument } = params as { readonly textDocument: { readonly uri: string } };
      void this.#record(method.split('/')[1], textDocument.uri);
    },
  };
  readonly documents = new ServerDocuments(
    fake({
      whyOff: () => this.off,
      whyHidden: (document) => (this.hidden.has(document) ? 'excluded' : undefined),
    }),
    fake(this.server),
  );

  constructor() {
    // A log is not code, so the server never gets it.
    workspace.textDocuments = [this.a, this.b, file('log', 'output')];
  }

  /** Passes a notification of the editor to the middleware; returns the notifications that reach the server. */
  async editor(method: 'didOpen' | 'didChange' | 'didClose', document: TextDocument): Promise<string[]> {
    const next = () => this.#record(method, document.uri.path);
    if (method === 'didChange') await this.documents.middleware.didChange({ document } as never, next);
    else await this.documents.middleware[method](document, next);
    return this.takeSent();
  }

  update(): string[] {
    this.documents.update();
    return this.takeSent();
  }

  /** Returns the notifications since the last call. */
  takeSent(): string[] {
    return this.#sent.splice(0);
  }

  #record(method: string | undefined, path: string): Promise<void> {
    this.#sent.push(`${String(method)} ${path}`);
    return Promise.resolve();
  }
}

function file(path: string, scheme = 'file'): TextDocument {
  return { uri: { scheme, path, toString: () => path }, getText: () => '' } as TextDocument;
}

describe('open documents of the language server', () => {
  let window: Window;
  beforeEach(async () => {
    window = new Window();
    assert.deepEqual(await window.editor('didOpen', window.a), ['didOpen a']);
    assert.deepEqual(await window.editor('didOpen', window.b), ['didOpen b']);
  });
  afterEach(() => {
    workspace.textDocuments = [];
  });

  it('are closed when Flashline is turned off, and their edits stay in the editor', async () => {
    window.off = 'snoozed';
    assert.deepEqual(window.update(), ['didClose a', 'didClose b']);
    for (const method of ['didChange', 'didClose', 'didOpen'] as const)
      assert.deepEqual(await window.editor(method, window.b), []);
    assert.deepEqual(window.update(), []);
    window.off = undefined;
    assert.deepEqual(window.update(), ['didOpen a', 'didOpen b']);
    assert.deepEqual(await window.editor('didChange', window.a), ['didChange a']);
  });

  it('are closed when they become hidden, and the server forgets their edits', async () => {
    assert.deepEqual([window.update(), window.forgets], [[], 0]);
    window.hidden.add(window.a);
    assert.deepEqual([window.update(), window.forgets], [['didClose a'], 1]);
    await window.editor('didOpen', window.a);
    assert.equal(window.forgets, 2, 'a document of the same name can have been open before');
    window.hidden.clear();
    window.hidden.add(window.b);
    assert.deepEqual(window.update(), ['didOpen a', 'didClose b']);
  });

  it('are checked again at each edit, as links can have changed', async () => {
    window.hidden.add(window.a);
    assert.deepEqual(await window.editor('didChange', window.a), ['didClose a']);
    assert.equal(window.forgets, 1);
    assert.deepEqual(await window.editor('didChange', window.a), []);
    window.hidden.clear();
    assert.deepEqual(await window.editor('didChange', window.a), ['didOpen a']);
    assert.deepEqual(await window.editor('didChange', window.a), ['didChange a']);
  });

  it('include a document while code is generated in it, even while Flashline is off', async () => {
    window.off = 'disabled';
    window.update();
    await window.documents.keepVisible(window.a, async () => {
      assert.deepEqual(window.takeSent(), ['didOpen a']);
      assert.deepEqual(await window.editor('didChange', window.a), ['didChange a']);
      assert.deepEqual(await window.editor('didChange', window.b), []);
    });
    assert.deepEqual(window.takeSent(), ['didClose a']);
  });

  it('are hidden again after generation in them has failed while Flashline is off', async () => {
    window.off = 'disabled';
    window.update();
    const work = () => Promise.reject(new Error('cancelled'));
    await assert.rejects(window.documents.keepVisible(window.a, work), /cancelled/);
    assert.deepEqual(window.takeSent(), ['didOpen a', 'didClose a']);
    assert.deepEqual(await window.editor('didChange', window.a), []);
  });

  it('are edited as usual when they are visible again at the start of a new server, or were closed', async () => {
    window.hidden.add(window.a);
    window.hidden.add(window.b);
    window.update();
    assert.deepEqual(await window.editor('didClose', window.a), []);
    window.hidden.clear();
    for (const document of [window.a, window.b]) {
      const { path } = document.uri;
      assert.deepEqual(await window.editor('didOpen', document), [`didOpen ${path}`]);
      assert.deepEqual(await window.editor('didChange', document), [`didChange ${path}`]);
      assert.deepEqual(await window.editor('didClose', document), [`didClose ${path}`]);
    }
  });

  it('are left alone while no server runs, and closed once one runs again', () => {
    window.off = 'disabled';
    window.server.isRunning = false;
    assert.deepEqual(window.update(), []);
    window.server.isRunning = true;
    assert.deepEqual(window.update(), ['didClose a', 'didClose b']);
  });
});
