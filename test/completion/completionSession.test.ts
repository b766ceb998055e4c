// One client's completions, with models that answer as written down: what stays out of prompts, which request counts,
// and what is found out for later.
import assert from 'node:assert/strict';
import { CompletionSession, type CompletionRequest } from '../../server/completion/session/completionSession';
import { documentSnapshot } from '../../server/completion/prompt/eligibility';
import { LineTokens } from '../../server/completion/prompt/lineTokens';
import { PromptTokens } from '../../server/completion/prompt/promptTokens';
import { RecentSuggestions } from '../../server/completion/session/recent';
import type { CompletionModel, CompletionModels } from '../../server/completion/session/sessionParts';
import type { SuggestResult } from '../../server/completion/session/suggest';
import { contextAt, markedDocument } from '../support/cursor';
import { FakeDecoder, type Answer, type FakeOptions } from './fakeDecoder';
import { SETTINGS } from './suggesting';

class Client implements CompletionModels<CompletionModel> {
  readonly recent = new RecentSuggestions();
  readonly records: (readonly [file: string, outcome: SuggestResult['outcome'] | undefined])[] = [];
  readonly logs: string[] = [];
  wakes = 0;
  readonly isIdle = true;
  pluggedIn = true;
  readonly pauses: boolean[] = [];
  readonly decoder: FakeDecoder;
  readonly session: CompletionSession<CompletionModel>;
  readonly #lines = new LineTokens();
  readonly #promptTokens = new PromptTokens();

  constructor(answers: readonly Answer[], options?: FakeOptions) {
    const record = (file: string, outcome?: SuggestResult['outcome']): void =>
      void this.records.push([file, outcome]);
    const decoder = Object.assign(new FakeDecoder(answers, options), { record });
    this.decoder = decoder;
    this.session = new CompletionSession({
      models: this,
      decoder: () => decoder,
      settle: () => Promise.resolve(),
      pluggedIn: () => Promise.resolve(this.pluggedIn),
      onPause: (isOnPause) => void this.pauses.push(isOnPause),
      log: (line) => void this.logs.push(line),
    });
  }

  use: CompletionModels<CompletionModel>['use'] = (work) =>
    work({ recent: this.recent, lines: this.#lines, promptTokens: this.#promptTokens });

  busy: CompletionModels<CompletionModel>['busy'] = (work) => work();

  wake(): void {
    this.wakes += 1;
  }

  forget(uri: string): void {
    this.recent.forget(uri);
  }

  open(fileName: string, text: string, editedAt?: number): void {
    const document = { uri: `file:///${fileName}`, fileName, languageId: 'typescript', version: 1, text };
    this.session.changed(documentSnapshot(document), editedAt);
  }

  /** At the ║ of a document that is opened, or has changed, with it. */
  async ask(marked: string, more: Partial<CompletionRequest> & { fileName?: string } = {}) {
    const { fileName = 'sample.ts', ...request } = more;
    const { text, offset } = markedDocument(marked);
    this.open(fileName, text);
    const suggestions = await this.session.complete({
      uri: `file:///${fileName}`,
      offset,
      selected: undefined,
      trigger: 'automatic',
      settings: {
        ...SETTINGS,
        useOpenFiles: true,
        prefetch: 'never',
        pauseOnBattery: false,
        maxPromptTokens: 'auto',
      },
      signal: new AbortController().signal,
      ...request,
    });
    return suggestions.map(({ text }) => text);
  }
}

const PREFETCHING = {
  ...SETTINGS,
  useOpenFiles: true,
  prefetch: 'always',
  pauseOnBattery: false,
  maxPromptTokens: 'auto',
} as const;
const ON_BATTERY = { ...PREFETCHING, prefetch: 'never', pauseOnBattery: true } as const;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('CompletionSession', () => {
  it('suggests on battery only what is requested, if set to, and loads nothing for typing', async () => {
    const client = new Client([['a);\n'], ['b);\n'], ['c);\n']]);
    client.pluggedIn = false;
    const settings = ON_BATTERY;
    assert.deepEqual(await client.ask('f(║', { settings }), []);
    assert.equal(client.decoder.prompts.length, 0);
    client.open('sample.ts', 'f(1', 3);
    assert.equal(client.wakes, 0);
    assert.deepEqual((await client.ask('g(║', { settings, trigger: 'explicit' }))[0], 'a);');
    assert.deepEqual(await client.ask('k(║'), ['b);'], 'not set');
    client.pluggedIn = true;
    assert.deepEqual(await client.ask('h(║', { settings }), ['c);']);
    client.open('sample.ts', 'f(1', 3);
    assert.equal(client.wakes, 1);
    assert.deepEqual(client.pauses, [true, false]);
  });

  it('answers the newer of two requests that wait for the state of the battery', async () => {
    const client = new Client([['a);\n'], ['b);\n']]);
    const [older, newer] = await Promise.all([
      client.ask('f(║', { settings: ON_BATTERY }),
      client.ask('g(║', { settings: ON_BATTERY }),
    ]);
    assert.deepEqual([older, newer], [[], ['a);']]);
  });

  it('remembers nothing of it when it is cut off', async () => {
    let pieces = 0;
    const client = new Client([['a);\n'], ['\n', 'g(', ');\n']], {
      beforePiece: () => {
        pieces += 1;
        if (pieces === 4) client.session.stopPrefetch();
      },
    });
    await client.ask('f(║\n', { settings: PREFETCHING });
    await until(() => client.records.length === 2);
    assert.equal(client.recent.match(contextAt('f(a);║\n')), undefined);
  });
});
