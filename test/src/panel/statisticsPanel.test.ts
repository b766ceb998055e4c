// Tests the statistics panel as a window: what it sends to its page, and when.
import assert from 'node:assert/strict';
import { Method } from '../../../server/protocol/messages';
import type { FlashlineClient } from '../../../src/connection/client';
import { StatisticsPanel } from '../../../src/panel/statisticsPanel';
import { fake } from '../../support/fake';
import { ManualClock, settled } from '../../lsp/manualClock';
import { env, Uri, window } from '../support/fakeVscode';
import { sampleRow } from '../support/sampleRow';

interface Message {
  readonly sections?: Readonly<Record<string, string>>;
  readonly comparing?: boolean;
  readonly goTo?: string;
}

describe('the statistics panel', () => {
  const { createWebviewPanel } = window;
  let clock: ManualClock;
  let panel: StatisticsPanel;
  let messages: Message[];
  /** Whether each reveal of the panel kept the focus where it was. */
  let reveals: unknown[];
  let opened: number;
  let isVisible: boolean;
  let send: (message: { type: string }) => void;
  let close: () => void;
  let html: string;
  let answer: (method: string) => Promise<unknown>;
  let requests: string[];
  let warnings: unknown[];

  beforeEach(() => {
    clock = new ManualClock();
    messages = [];
    reveals = [];
    requests = [];
    warnings = [];
    opened = 0;
    isVisible = true;
    answer = () => Promise.resolve([]);
    window.createWebviewPanel = (...[, , show]: unknown[]) => {
      opened += 1;
      reveals.push((show as { preserveFocus: boolean }).preserveFocus);
      return {
        webview: {
          asWebviewUri: (uri: Uri) => uri,
          cspSource: 'https://source',
          onDidReceiveMessage: (listener: typeof send) => (send = listener),
          postMessage: (message: Message) => Promise.resolve(messages.push(message) > 0),
          set html(text: string) {
            html = text;
          },
        },
        get visible() {
          return isVisible;
        },
        reveal: (_: unknown, preserveFocus: boolean) => reveals.push(preserveFocus),
        onDidDispose: (listener: () => void) => (close = listener),
        dispose: () => {
          close();
        },
      };
    };
    const client = {
      request: (method: string) => {
        requests.push(method);
        return answer(method);
      },
    };
    const log = { warn: (...words: unknown[]) => warnings.push(words), error: () => warnings.push('error') };
    panel = new StatisticsPanel(
      Uri.file('/extension') as never,
      fake<FlashlineClient>(client as never),
      log as never,
      fake({ days: {} }),
    );
  });
  afterEach(() => {
    panel.dispose();
    window.createWebviewPanel = createWebviewPanel;
  });

  const drawn = (name: string): string => messages.at(-1)?.sections?.[name] ?? '';
  const ready = async (): Promise<void> => {
    send({ type: 'ready' });
    await settled();
  };

  it('marks its page as English, even in a window of another language', () => {
    env.language = 'de';
    panel.show();
    env.language = 'en';
    assert.match(html, /<html lang="en">/);
  });

  it('has the history of the server when its page is ready, and is drawn again a moment after requests', async () => {
    answer = () => Promise.resolve([sampleRow({ id: 1 }), sampleRow({ id: 2 })]);
    panel.add(sampleRow({ id: 2 }));
    panel.show();
    assert.deepEqual([requests, messages], [[], []]);
    assert.match(html, /panel\.js/);
    await ready();
    assert.deepEqual(requests, [Method.history]);
    assert.deepEqual(
      panel.rows.map(({ id }) => id),
      [1, 2],
    );
    assert.match(drawn('requests'), /data-request="1"/);
    const { length } = messages;
    for (const id of [3, 4]) panel.add(sampleRow({ id }));
    await clock.pass(149);
    assert.equal(messages.length, length);
    await clock.pass(1);
    assert.equal(messages.length, length + 1);
    assert.match(drawn('requests'), /data-request="4"/);
    await clock.pass(1000);
    assert.equal(messages.length, length + 1);
  });

  it('keeps the rows of a server that has ended when it gets the history of the next one', async () => {
    panel.add(sampleRow({ id: 1, at: 1 }));
    panel.add(sampleRow({ id: 2, at: 2 }));
    answer = () => Promise.resolve([sampleRow({ id: 1, at: 3 })]);
    panel.show();
    await ready();
    assert.deepEqual(
      panel.rows.map(({ at }) => at),
      [1, 2, 3],
    );
  });

  it('shows the rows of this window if the server has no history', async () => {
    answer = () => Promise.reject(new Error('gone'));
    panel.add(sampleRow({ id: 7 }));
    panel.show();
    await ready();
    assert.match(drawn('requests'), /data-request="7"/);
    assert.equal(warnings.length, 1);
  });

  it('opens once, and takes the focus only to show a section, to which its page goes once it is ready', async () => {
    panel.show();
    panel.show('why');
    assert.deepEqual([opened, reveals], [1, [true, false]]);
    const goTos = (): unknown[] => messages.filter(({ goTo }) => goTo !== undefined).splice(0);
    assert.deepEqual(goTos(), [{ goTo: 'why' }]);
    isVisible = false;
    panel.show('why');
    assert.equal(goTos().length, 1, 'a hidden page is not ready');
    await ready();
    assert.equal(goTos().length, 2);
    await ready();
    assert.equal(goTos().length, 2, 'the page goes there once');
    close();
    panel.show('why');
    assert.equal(opened, 2);
  });

  it('runs one comparison at a time, and shows its progress, its result or its error', async () => {
    let end: (result: unknown) => void = () => undefined;
    let fail: (error: unknown) => void = () => undefined;
    answer = () =>
      new Promise((resolve, reject) => {
        end = resolve;
        fail = reject;
      });
    const comparing = panel.compare();
    await panel.compare();
    assert.deepEqual([requests, opened], [[Method.compare], 1]);
    assert.equal(messages.at(-1)?.comparing, true);
    assert.match(drawn('comparison'), /Comparing: running the last prompt/);
    const row = sampleRow({ kind: 'compare' });
    end({ plain: row, speculative: row, identical: true });
    await comparing;
    assert.equal(messages.at(-1)?.comparing, false);
    assert.match(drawn('comparison'), /1\.00 times as fast/);
    send({ type: 'compare' });
    fail(new Error('There is no <request>.'));
    await settled();
    assert.match(drawn('comparison'), /The comparison failed: There is no &#60;request&#62;\./);
    assert.equal(messages.at(-1)?.comparing, false);
    assert.deepEqual(warnings, ['error']);
  });

  it('closes its webview when it is disposed of, and sends nothing more', async () => {
    let closes = 0;
    panel.show();
    const closeFirst = close;
    close = () => {
      closes += 1;
      closeFirst();
    };
    panel.dispose();
    assert.equal(closes, 1);
    panel.add(sampleRow());
    await clock.pass(1000);
    assert.deepEqual(messages, []);
  });

  it('sends nothing while it is closed', async () => {
    panel.show();
    close();
    panel.add(sampleRow());
    await clock.pass(1000);
    assert.deepEqual(messages, []);
    assert.equal(panel.rows.length, 1);
  });
});
