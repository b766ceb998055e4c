// Tests the commands that start and stop the server for other tools.
import assert from 'node:assert/strict';
import { Method } from '../../server/protocol/messages';
import { OtherTools } from '../../src/connection/otherTools';
import { env, window } from './support/fakeVscode';

describe('the server for other tools', () => {
  const original = { ...window };
  let messages: string[];
  /** Button to press in each message. */
  let press: string | undefined;
  let tools: OtherTools;
  let answer: { address: string | null } | Error;
  let requests: string[];
  beforeEach(() => {
    messages = [];
    requests = [];
    press = undefined;
    env.copied = '';
    window.statusBarMessages = [];
    for (const kind of ['showInformationMessage', 'showErrorMessage'] as const)
      window[kind] = (message) => {
        messages.push(message);
        return Promise.resolve(press);
      };
    const request = (method: string) => {
      requests.push(method);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    tools = new OtherTools({ request } as never);
  });
  afterEach(() => {
    Object.assign(window, original);
  });

  it('is started and stopped, and its address can be copied', async () => {
    const address = 'http://127.0.0.1:8080';
    answer = { address };
    await tools.start();
    assert.deepEqual([tools.address, env.copied], [address, '']);
    assert.match(messages.join(), /can now use the models of Flashline at http:\/\/127\.0\.0\.1:8080\./);
    press = 'Copy Address';
    await tools.start();
    await new Promise(setImmediate);
    assert.equal(env.copied, address);
    answer = { address: null };
    messages = [];
    await tools.stop();
    assert.deepEqual([tools.address, messages], [undefined, []]);
    assert.deepEqual(window.statusBarMessages, ['The server for other tools has stopped.']);
    assert.deepEqual(requests, [Method.startServing, Method.startServing, Method.stopServing]);
  });

  it('is not reported as stopped if another window has started it again', async () => {
    answer = { address: 'http://127.0.0.1:1' };
    await tools.stop();
    assert.deepEqual([tools.address, window.statusBarMessages], [answer.address, []]);
  });

  it('says why it could not be started or stopped', async () => {
    tools.onAddress('http://127.0.0.1:1');
    answer = new Error('the port is taken');
    await tools.start();
    await tools.stop();
    assert.deepEqual(messages, [
      'The server for other tools could not be started: the port is taken',
      'The server for other tools could not be stopped: the port is taken',
    ]);
    assert.equal(tools.address, 'http://127.0.0.1:1', 'it still runs');
    const stopping = tools.stop();
    // The server process ends during the request.
    tools.onAddress(undefined);
    await stopping;
    assert.equal(messages.length, 3);
    assert.deepEqual([tools.address, window.statusBarMessages], [undefined, []]);
  });
});
