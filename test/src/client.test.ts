// The life of the connection to the server: what the server is told, and that it starts again. That a restart shows as one
// is tested in VS Code.
import assert from 'node:assert/strict';
import { FlashlineClient, type ClientOptions } from '../../src/connection/client';
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
    middleware: () => ({}),
    onConnection: (state: string) => {
      this.states.push(state);
      if (this.fails) throw new Error('a listener throws');
    },
  } as unknown as ClientOptions);
}

describe('the connection to the server', () => {
  it('tells the settings at the start, and again only when they have changed, also meanwhile', async () => {
    const window = new Window();
    const change = (target: string): void => {
      window.target = target;
      window.client.sendSettings();
    };
    const { told } = await LanguageClient.started(window.client.start(), () => change('b'));
    assert.deepEqual(told, [{ target: 'a' }, { target: 'b' }]);
    for (const target of ['b', 'c', 'c']) change(target);
    assert.deepEqual(told.slice(2), [{ target: 'c' }]);
  });

  it('starts again after a listener has thrown, and after a start that failed', async () => {
    const window = new Window();
    window.fails = true;
    await LanguageClient.started(window.client.start());
    window.fails = false;
    await LanguageClient.started(window.client.restart());
    assert.equal(window.states.at(-1), 'running');
    window.made = () => {
      throw new Error('no settings');
    };
    await assert.rejects(window.client.restart(), /no settings/);
    window.made = undefined;
    await LanguageClient.started(window.client.restart());
    assert.equal(window.states.at(-1), 'running');
  });
});
