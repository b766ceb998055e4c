// Tests which settings can send text to another machine: those of the user, in a trusted workspace, after consent for
// the host.
import assert from 'node:assert/strict';
import type { ClientSettings } from '../../../server/protocol/messages';
import { NO_REMOTE } from '../../../server/rules/serverSettings';
import { RemoteConsent } from '../../../src/connection/remoteConsent';
import { fake } from '../../support/fake';
import { commands, EventEmitter, memento, window, workspace } from '../support/fakeVscode';
import { sampleSettings } from '../support/sampleDocument';

const URL_SETTING = 'flashline.remote.url';
const GPU = 'https://gpu.example:8000/v1';

/** A user with a window, who sees its questions and answers them. */
class Person {
  settings = sampleSettings();
  readonly questions: { message: string; detail: string; modal: boolean }[] = [];
  readonly sentSettings: ClientSettings[] = [];
  readonly secrets = new Map<string, string>();
  /** Reports that the secret storage has changed. */
  readonly secretsChanged = new EventEmitter<undefined>();
  /** Reports that the window has got or lost the focus. */
  readonly focusChanged = new EventEmitter<undefined>();
  /** If set, readings of the secret storage wait here for their keys. */
  slowReadings: ((key: string) => void)[] | undefined;
  /** Buttons to press; undefined closes the question. */
  answers: (string | undefined)[] = [];
  readonly remote: RemoteConsent;

  /** `stored` is the storage of the extension, which all windows of the user share. */
  constructor(readonly stored = new Map<string, unknown>()) {
    window.showWarningMessage = (message, options) => {
      this.questions.push({ message, ...(options as { detail: string; modal: boolean }) });
      return Promise.resolve(this.answers.shift());
    };
    const secrets = {
      get: (key: string) =>
        new Promise<string | undefined>((resolve) => {
          if (this.slowReadings) this.slowReadings.push(resolve);
          else resolve(this.secrets.get(key));
        }),
      store: (key: string, value: string) => Promise.resolve(void this.secrets.set(key, value)),
      delete: (key: string) => Promise.resolve(void this.secrets.delete(key)),
      onDidChange: this.secretsChanged.event,
    };
    const { onDidChangeWindowState } = window;
    window.onDidChangeWindowState = this.focusChanged.event as never;
    this.remote = new RemoteConsent(fake(this), memento(this.stored), secrets as never);
    this.remote.onDidChange(() => this.sentSettings.push(this.remote.settings));
    window.onDidChangeWindowState = onDidChangeWindowState;
  }

  /** Changes the settings, as RemoteConsent does through the configuration. */
  async setRemote(url: string, model: string): Promise<void> {
    await this.choose(url, { 'flashline.remote.model': model });
  }

  /** Changes the settings, and answers the question that follows. */
  async choose(url: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    this.settings = sampleSettings({ [URL_SETTING]: url, ...more });
    await this.remote.update();
    await this.remote.offer();
  }
}

describe('a remote engine in the settings', () => {
  let person: Person;
  beforeEach(() => (person = new Person()));
  afterEach(() => {
    workspace.isTrusted = true;
  });

  it('is used after one question about its host, until the consent is withdrawn', async () => {
    person.answers = ['Allow'];
    await person.choose(GPU, { 'flashline.remote.model': 'coder' });
    const [{ message, detail, modal } = assert.fail()] = person.questions;
    assert.ok(modal && message.includes('gpu.example:8000') && detail.includes('flashline.useOpenFiles'));
    assert.deepEqual(person.sentSettings.at(-1)?.remote, { ...NO_REMOTE, url: GPU, model: 'coder' });
    await person.choose('https://gpu.example:8000', { 'flashline.remote.model': 'other' });
    assert.equal(person.sentSettings.at(-1)?.remote.model, 'other');
    await person.remote.revoke();
    await person.remote.offer();
    assert.deepEqual([person.questions.length, person.sentSettings.at(-1)?.remote], [1, NO_REMOTE]);
  });

  it('is asked about once while the question is open and the settings change', async () => {
    const answers: ((button: string) => void)[] = [];
    window.showWarningMessage = () => new Promise((resolve) => answers.push(resolve));
    const choices = [person.choose(GPU), person.choose(GPU, { 'flashline.debounceMs': 7 })];
    await new Promise((resolve) => setImmediate(resolve));
    for (const answer of answers) answer('Allow');
    await Promise.all(choices);
    assert.deepEqual([answers.length, person.sentSettings.at(-1)?.remote.url], [1, GPU]);
  });

  it('keeps the consent that another window gets while the question is open', async () => {
    const inSecondWindow = new Person(person.stored);
    let answer: (button: string) => void = () => assert.fail();
    window.showWarningMessage = () => new Promise((resolve) => (answer = resolve));
    const choosing = person.choose(GPU);
    await new Promise((resolve) => setImmediate(resolve));
    window.showWarningMessage = () => Promise.resolve('Allow');
    await inSecondWindow.choose('https://other.example/v1');
    answer('Allow');
    await choosing;
    await inSecondWindow.remote.update();
    const urls = [person, inSecondWindow].map(({ sentSettings }) => sentSettings.at(-1)?.remote.url);
    assert.deepEqual(urls, [GPU, 'https://other.example/v1']);
  });

  it('can be a server from the model picker, and is not set without consent', async () => {
    const url = 'http://127.0.0.1:11434';
    await person.remote.use(url, 'coder');
    assert.equal(person.settings.server.remote.url, '');
    person.answers = ['Allow'];
    for (const model of ['coder', 'other']) await person.remote.use(url, model);
    assert.equal(person.questions.length, 2);
    assert.deepEqual(person.remote.settings.remote, { ...NO_REMOTE, url, model: 'other' });
  });

  it('is not sent to the server without an answer, and is not asked about again unprompted', async () => {
    await person.choose(GPU);
    await person.choose(GPU, { 'flashline.debounceMs': 7 });
    assert.equal(person.questions.length, 1);
    assert.deepEqual(person.remote.settings.remote, NO_REMOTE);
    person.answers = ['Allow'];
    await person.remote.ask();
    assert.equal(person.remote.settings.remote.url, GPU);
  });

  it('needs separate consent when it is unencrypted, on another port or on another host', async () => {
    person.answers = ['Allow'];
    await person.choose(GPU);
    for (const url of ['http://gpu.example:8000', 'https://gpu.example', 'https://gpu.example.org:8000'])
      await person.choose(url);
    assert.equal(person.questions.length, 4);
    assert.match(person.questions[1]?.detail ?? '', /not encrypted/);
    assert.ok(!(person.questions[0]?.detail ?? '').includes('not encrypted'));
    assert.deepEqual(person.remote.settings.remote, NO_REMOTE);
  });

  it('is not used in an untrusted workspace, with or without consent', async () => {
    workspace.isTrusted = false;
    person.answers = ['Allow', 'Allow'];
    await person.choose(GPU);
    assert.equal(person.questions.length, 0);
    workspace.isTrusted = true;
    await person.choose(GPU);
    assert.equal(person.remote.settings.remote.url, GPU);
    workspace.isTrusted = false;
    await person.remote.update();
    assert.deepEqual(person.sentSettings.at(-1)?.remote, NO_REMOTE);
  });

  it('can be a llama-server that Flashline starts: it needs trust but no consent, and can be stopped', async () => {
    workspace.isTrusted = false;
    await person.choose('llama-server', { 'flashline.remote.model': '/coder.gguf' });
    assert.deepEqual(person.remote.settings.remote, NO_REMOTE);
    workspace.isTrusted = true;
    await person.remote.use('/opt/llama-server', '/coder.gguf');
    const expected = { ...NO_REMOTE, url: '/opt/llama-server', model: '/coder.gguf' };
    assert.deepEqual(person.sentSettings.at(-1)?.remote, expected);
    assert.deepEqual(person.questions, []);
    window.showQuickPick = (items) => Promise.resolve(items.find(({ label }) => label.startsWith('Stop')));
    await person.remote.choose();
    assert.deepEqual(person.sentSettings.at(-1)?.remote, NO_REMOTE);
  });

  it('gets a key from the secret storage, for its own address only', async () => {
    const unencrypted = 'http://gpu.example:8000';
    const current = () => [person.remote.settings.remote.url, person.remote.settings.remoteKey];
    person.answers = ['Allow', 'Allow'];
    await person.choose(GPU);
    window.showInputBox = ({ prompt }) =>
      Promise.resolve(prompt?.includes('gpu.example:8000') ? ' sk-1 ' : undefined);
    await person.remote.askKey();
    assert.equal(person.sentSettings.at(-1)?.remoteKey, 'sk-1');
    assert.ok(![...person.stored.values()].some((value) => JSON.stringify(value).includes('sk-1')));
    await person.choose(unencrypted);
    assert.deepEqual(current(), [unencrypted, undefined]);
    await person.choose(GPU);
    assert.deepEqual(current(), [GPU, 'sk-1']);
    // The address changes before the storage has answered.
    person.settings = sampleSettings({ [URL_SETTING]: unencrypted });
    assert.deepEqual(current(), [unencrypted, undefined]);
    await person.choose('');
    assert.deepEqual(current(), ['', undefined]);
    await person.choose(GPU);
    window.showInputBox = () => Promise.resolve(' ');
    await person.remote.askKey();
    assert.deepEqual(current(), [GPU, undefined]);
  });

  it('gets the latest key when an older reading of the storage ends last', async () => {
    person.answers = ['Allow'];
    await person.choose(GPU);
    person.slowReadings = [];
    const updates = [person.remote.update(), person.remote.update()];
    const [older = assert.fail(), newer = assert.fail()] = person.slowReadings;
    newer('new key');
    older('old key');
    await Promise.all(updates);
    assert.equal(person.sentSettings.at(-1)?.remoteKey, 'new key');
  });

  it('has a menu that uses it or stops using it, asks for its key and opens the settings', async () => {
    const { showQuickPick, showInputBox } = window;
    let labels: string[] = [];
    const choose = async (start: string): Promise<void> => {
      window.showQuickPick = (items) => {
        labels = (items as readonly { readonly label: string }[]).map(({ label }) => label);
        return Promise.resolve(items[labels.findIndex((label) => label.startsWith(start))]);
      };
      commands.ran = [];
      await person.remote.choose();
    };
    await choose('');
    assert.deepEqual(
      commands.ran,
      ['workbench.action.openSettings', 'flashline.remote'],
      'without an address',
    );
    await person.choose(GPU);
    await choose('no such item');
    assert.deepEqual(labels, ['Use gpu.example:8000...', 'API key for gpu.example:8000...', 'Open settings']);
    person.answers = ['Allow'];
    await choose('Use');
    assert.equal(person.remote.settings.remote.url, GPU);
    window.showInputBox = () => Promise.resolve('sk-1');
    await choose('API key');
    assert.equal(person.remote.settings.remoteKey, 'sk-1');
    window.showInputBox = () => Promise.resolve(undefined);
    await choose('API key');
    assert.equal(person.remote.settings.remoteKey, 'sk-1', 'a closed question changes nothing');
    await choose('Open settings');
    assert.deepEqual(commands.ran, ['workbench.action.openSettings', 'flashline.remote']);
    await choose('Stop using the remote engine');
    assert.deepEqual(person.remote.settings.remote, NO_REMOTE);
    Object.assign(window, { showQuickPick, showInputBox });
  });

  it('follows the keys and consents that other windows change, until it is disposed of', async () => {
    person.answers = ['Allow'];
    await person.choose(GPU);
    person.secrets.set('flashline.remoteKey https://gpu.example:8000', 'sk-2');
    person.secretsChanged.fire(undefined);
    await new Promise(setImmediate);
    assert.equal(person.sentSettings.at(-1)?.remoteKey, 'sk-2');
    await new Person(person.stored).remote.revoke();
    person.focusChanged.fire(undefined);
    await new Promise(setImmediate);
    assert.deepEqual(person.sentSettings.at(-1)?.remote, NO_REMOTE);
    const { length } = person.sentSettings;
    person.remote.dispose();
    for (const event of [person.secretsChanged, person.focusChanged]) event.fire(undefined);
    await new Promise(setImmediate);
    assert.equal(person.sentSettings.length, length);
  });

  it('has a key that is typed hidden, and is not set by a text that is neither an address nor a program', async () => {
    const { showInputBox } = window;
    let isHidden: unknown;
    window.showInputBox = (options) => {
      isHidden = (options as { readonly password?: boolean }).password;
      return Promise.resolve(undefined);
    };
    await person.choose(GPU);
    await person.remote.askKey();
    assert.equal(isHidden, true);
    window.showInputBox = () => assert.fail('there is no address');
    await person.choose('');
    await person.remote.askKey();
    assert.deepEqual(commands.ran, ['workbench.action.openSettings', 'flashline.remote']);
    window.showInputBox = showInputBox;
    await person.remote.use('not an address', 'coder');
    assert.equal(person.settings.server.remote.url, '');
  });

  it('is asked about with a warning of a possible tunnel or of missing encryption', async () => {
    for (const url of ['http://127.0.0.1:8080', 'https://gpu.example', 'http://gpu.example'])
      await person.choose(url);
    const [tunnel, encrypted, open] = person.questions.map(({ detail }) => detail);
    assert.match(tunnel ?? '', /on this machine, but a tunnel/);
    assert.doesNotMatch(encrypted ?? '', /tunnel|encrypted/);
    assert.match(open ?? '', /not encrypted/);
    for (const { detail } of person.questions) assert.match(detail, /To take this back, run/);
  });

  it('is not asked about without a valid address; the command then shows the setting', async () => {
    await person.choose('gpu.example');
    await person.choose('https://user:word@gpu.example');
    assert.equal(person.questions.length, 0);
    await person.remote.ask();
    assert.deepEqual(commands.ran, ['workbench.action.openSettings', 'flashline.remote']);
  });
});
