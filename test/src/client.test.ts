// The life of the connection to the server: what is shown of it, and what the server is told meanwhile.
import assert from 'node:assert/strict';
import { FlashlineClient, type ClientOptions } from '../../src/connection/client';
import { settled } from '../lsp/manualClock';
import { LanguageClient } from './support/fakeLanguageClient';

/** A window whose server answers when a test says so. */
class Window {
  readonly states: string[] = [];
  target = 'a';
  /** Whether the listener throws. */
  fails = false;
  /** Called before a client is made. */
  made: (() => void) | undefined;
  readonly client = new FlashlineClient({
    settings: () => {
      this.made?.();
      return { shareServer: false };
    },
    log: { error: () => undefined, warn: () => undefined },
    serverSettings: () => ({ target: this.target }),
    program: { module: 'server.js' },
    middleware: {},
    onConnection: (state: string) => {
      this.states.push(state);
      if (this.fails) throw new Error('a listener throws');
    },
  } as unknown as ClientOptions);

  /** Until the server has answered; `meanwhile` runs before that. */
  async started(begin: Promise<void>, meanwhile = (): void => undefined): Promise<LanguageClient> {
    await settled();
    const library = LanguageClient.made.at(-1) ?? assert.fail();
    meanwhile();
    library.started();
    await begin;
    return library;
  }
}

describe('the connection to the server', () => {
  it('tells the settings at the start, and again only when they have changed', async () => {
    const window = new Window();
    const { told } = await window.started(window.client.start());
    window.client.sendSettings();
    window.target = 'b';
    window.client.sendSettings();
    window.client.sendSettings();
    assert.deepEqual(told, [{ target: 'a' }, { target: 'b' }]);
  });

  it('tells what has changed while the server started', async () => {
    const window = new Window();
    const { told } = await window.started(window.client.start(), () => {
      window.target = 'b';
      window.client.sendSettings();
    });
    assert.deepEqual(told, [{ target: 'a' }, { target: 'b' }]);
  });

  it('starts again after a listener has thrown, and after a start that failed', async () => {
    const window = new Window();
    window.fails = true;
    await window.started(window.client.start());
    window.fails = false;
    await window.started(window.client.restart());
    assert.equal(window.states.at(-1), 'running');
    window.made = () => {
      throw new Error('no settings');
    };
    await assert.rejects(window.client.restart(), /no settings/);
    window.made = undefined;
    await window.started(window.client.restart());
    assert.equal(window.states.at(-1), 'running');
  });

  it('is only restarting between two servers, and stopped at the end', async () => {
    const window = new Window();
    await window.started(window.client.start());
    await window.started(window.client.restart());
    await window.started(window.client.reconnect());
    await window.client.stop();
    const [again, running] = ['restarting', 'running'];
    assert.deepEqual(
      window.states.filter((state, i) => state !== window.states[i - 1]),
      ['starting', running, again, running, again, running, 'stopped'],
    );
  });
});
