// Tests a client's session with a scripted model: which requests get an answer, what stops it, and which documents,
// cursors and settings lead to work in the background.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { PromptTokens } from '../../../server/completion/prompt/promptTokens';
import {
  CompletionSession,
  type CursorRequest,
  type SessionDecoder,
} from '../../../server/completion/session/completionSession';
import { PowerPolicy } from '../../../server/completion/session/powerPolicy';
import type { Suggestion } from '../../../server/completion/session/suggestionRequest';
import { RecentSuggestions } from '../../../server/completion/session/recent';
import type { DecodeLimits } from '../../../server/completion/decoder';
import { gate } from '../../support/gate';
import { temporaryFolder } from '../../support/temporaryFolder';
import { FakeDecoder } from '../fakeDecoder';
import { SETTINGS } from '../suggesting';

type Kind = 'inline' | 'prefetch';

function documentOf(name: string, text: string, languageId = 'typescript', ineligibleText?: 'secret') {
  return { uri: `file:///${name}`, fileName: name, languageId, text, ineligibleText };
}
const A = documentOf('a.ts', 'a =\n');
const B = documentOf('b.ts', 'b =\n');
const SECRET = documentOf('secret.ts', 'c =\n', 'typescript', 'secret');
const RELATED = {
  definitions: [{ uri: 'file:///d.ts', fileName: 'd.ts', text: 'function d() {}' }],
  above: [],
};

/** Lets work go on until it is blocked on the test: it waits for no timer and no I/O, so a few turns are enough. */
async function untilBlocked(): Promise<void> {
  for (let i = 0; i < 10; i += 1) await turn();
}

class Scripted {
  readonly model = { recent: new RecentSuggestions(), promptTokens: new PromptTokens() };
  readonly decodes: { kind: Kind; prompt: string; isStopped: boolean }[] = [];
  readonly records: unknown[] = [];
  /** Lengths of the requested pauses in typing, in ms. */
  readonly settled: number[] = [];
  readonly woken: string[] = [];
  /** Reports of whether requests pause on battery. */
  readonly pauses: boolean[] = [];
  readonly log: string[] = [];
  busyCount = 0;
  isIdle = true;
  isLoaded = true;
  isRemote = false;
  isPluggedIn = true;
  /** Settings of the client, which each request replaces. */
  settings = SETTINGS;
  /** Promises for which decodes and loads of the model wait. */
  decoding = Promise.resolve();
  loading = Promise.resolve();
  readonly power = new PowerPolicy(
    () => Promise.resolve(this.isPluggedIn),
    () => this.settings,
    () => void this.pauses.push(this.power.isPaused),
  );
  readonly session: CompletionSession<Scripted['model']>;

  constructor(private readonly output = ' b;\n') {
    const isIdle = (): boolean => this.isIdle;
    const loadedModel = () => (this.isLoaded ? this.model : undefined);
    this.session = new CompletionSession({
      models: {
        use: async (work) => {
          await this.loading;
          return work(this.model);
        },
        busy: (work) => {
          this.busyCount += 1;
          return work();
        },
        wake: (languageId) => void this.woken.push(languageId),
        forget: (uri) => {
          this.model.recent.forget(uri);
        },
        get model() {
          return loadedModel();
        },
        get isIdle() {
          return isIdle();
        },
      },
      decoder: (_, kind) => this.#decoder(kind),
      lateMs: Infinity,
      settle: (ms) => Promise.resolve(void this.settled.push(ms)),
      power: this.power,
      log: (line) => void this.log.push(line),
    });
  }

  /** Kinds of the decodes, each with whether it was stopped before its end. */
  get kinds(): readonly string[] {
    return this.decodes.map(({ kind, isStopped }) => (isStopped ? `${kind}, stopped` : kind));
  }

  /** Requests suggestions at the end of the document's first line. */
  request(document: typeof A, more: Partial<CursorRequest> = {}): Promise<readonly string[]> {
    const request = {
      uri: document.uri,
      offset: document.text.indexOf('\n'),
      selected: undefined,
      trigger: 'automatic',
      settings: { ...SETTINGS, prefetch: 'never' },
      signal: new AbortController().signal,
      ...more,
    } as const;
    this.settings = request.settings;
    return this.session.complete(request).then((suggestions) => suggestions.map(({ text }) => text));
  }

  rest(document: typeof A, settings = SETTINGS): void {
    this.settings = settings;
    this.session.rested({ uri: document.uri, offset: document.text.indexOf('\n'), settings });
  }

  #decoder(kind: Kind): SessionDecoder {
    const fake = new FakeDecoder([]);
    return Object.assign(fake, {
      decode: (ids: readonly number[], limits: DecodeLimits) =>
        this.#decode(kind, fake.tokenizer.decode(ids), limits),
      isRemote: this.isRemote,
      record: (...record: readonly unknown[]) => void this.records.push([kind, ...record]),
    });
  }

  /** Writes the output once `decoding` resolves; for a request, its first character immediately. */
  async *#decode(
    kind: Kind,
    prompt: string,
    { signal, onEnd }: DecodeLimits,
  ): AsyncGenerator<{ readonly text: string }> {
    const decode = { kind, prompt, isStopped: signal.aborted };
    this.decodes.push(decode);
    const stop = (): void => {
      decode.isStopped = true;
    };
    signal.addEventListener('abort', stop);
    try {
      const firstLength = kind === 'inline' ? 1 : 0;
      if (firstLength > 0) yield { text: this.output.slice(0, firstLength) };
      if (!signal.aborted) await Promise.race([this.decoding, once(signal, 'abort')]);
      if (signal.aborted) return;
      yield { text: this.output.slice(firstLength) };
      onEnd?.('stop');
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

describe('a session', () => {
  it('wakes the model when the user types in a document that is likely to get a request', async () => {
    const scripted = new Scripted();
    const { session, woken } = scripted;
    session.changed(A);
    session.changed(SECRET, 1);
    assert.deepEqual(woken, []);
    session.changed(A, 1);
    const python = documentOf('a.py', 'a =\n', 'python');
    session.changed(python, 1);
    assert.deepEqual(woken, ['typescript', 'python'], 'before the first request');
    await scripted.request(A);
    session.changed(A, 1);
    session.changed(python, 1);
    assert.deepEqual(woken.slice(2), ['typescript'], 'after a request in TypeScript');
    scripted.isPluggedIn = false;
    const settings = { ...SETTINGS, pauseOnBattery: true };
    assert.deepEqual(await scripted.request(documentOf('a.ts', 'a =\n'), { settings }), []);
    session.changed(A, 1);
    assert.deepEqual(woken.length, 3, 'while requests pause');
    scripted.settings = SETTINGS;
    scripted.power.settingsChanged();
    session.changed(A, 1);
    assert.deepEqual(woken.length, 4);
    assert.deepEqual(scripted.pauses, [true, false]);
  });

  it('pauses only automatic requests on battery, and only if the settings ask for it', async () => {
    const scripted = new Scripted();
    scripted.session.changed(A);
    scripted.isPluggedIn = false;
    const settings = { ...SETTINGS, prefetch: 'never', pauseOnBattery: true } as const;
    assert.deepEqual(await scripted.request(A, { settings }), []);
    assert.deepEqual(scripted.kinds, []);
    assert.equal((await scripted.request(A, { settings, trigger: 'explicit' })).length, 1);
    scripted.model.recent.forget(A.uri);
    assert.equal((await scripted.request(A)).length, 1);
    scripted.isPluggedIn = true;
    assert.equal((await scripted.request(A, { settings })).length, 1);
  });

  it('answers no request in a document that is unknown or may not enter prompts, and stops the running answer', async () => {
    for (const document of [B, SECRET]) {
      const scripted = new Scripted();
      scripted.session.changed(A);
      if (document !== B) scripted.session.changed(document);
      scripted.decoding = new Promise(() => undefined);
      const first = scripted.request(A);
      await untilBlocked();
      assert.deepEqual(await scripted.request(document), []);
      assert.deepEqual(await first, []);
      assert.deepEqual(scripted.kinds, ['inline, stopped']);
      assert.deepEqual(scripted.log, document === B ? [] : ['no completion in secret.ts: secret file']);
    }
  });

  it('answers nothing if the document became secret, or the request was cancelled, while the model was loaded', async () => {
    for (const isCancelled of [false, true]) {
      const scripted = new Scripted();
      const folder = temporaryFolder();
      const [secret, file] = [join(folder, '.env'), join(folder, 'a.ts')];
      for (const path of [secret, file]) writeFileSync(path, '');
      const document = { ...A, uri: pathToFileURL(file).href };
      scripted.session.changed(document);
      const { opened, open } = gate();
      scripted.loading = opened;
      const controller = new AbortController();
      const answer = scripted.request(document, { signal: controller.signal });
      if (isCancelled) controller.abort();
      else {
        unlinkSync(file);
        symlinkSync(secret, file);
      }
      await untilBlocked();
      open();
      assert.deepEqual(await answer, []);
      assert.deepEqual([scripted.kinds, scripted.records], [[], []]);
    }
  });

  it('answers an automatic request with an empty part while the model is loaded', async () => {
    for (const [trigger, isLoaded] of [
      ['automatic', false],
      ['automatic', true],
      ['explicit', false],
    ] as const) {
      const scripted = new Scripted();
      scripted.isLoaded = isLoaded;
      scripted.session.changed(A);
      const { opened, open } = gate();
      scripted.loading = opened;
      const parts: (readonly string[])[] = [];
      const onPart = (suggestions: readonly Suggestion[]) =>
        void parts.push(suggestions.map(({ text }) => text));
      const answer = scripted.request(A, { trigger, onPart });
      await untilBlocked();
      const expected = trigger === 'automatic' && !isLoaded ? [[]] : [];
      assert.deepEqual(parts, expected);
      const joined = scripted.request(A, { trigger, onPart });
      await untilBlocked();
      assert.deepEqual(parts, [...expected, ...expected], 'a request that joins the answer');
      open();
      assert.deepEqual([(await answer)[0], (await joined)[0]], [' b;', ' b;']);
      assert.deepEqual(scripted.kinds, trigger === 'automatic' ? ['inline'] : ['inline', 'inline']);
    }
  });

  it('survives the failure of an answer whose request was cancelled', async () => {
    const scripted = new Scripted();
    scripted.session.changed(A);
    const { opened, open } = gate();
    scripted.decoding = opened.then(() => {
      throw new Error('the model is gone');
    });
    const controller = new AbortController();
    const answer = scripted.request(A, { signal: controller.signal });
    await untilBlocked();
    // The user has typed the beginning of the answer, so it goes on.
    scripted.session.changed({ ...A, text: 'a = \n' }, 3);
    controller.abort();
    assert.deepEqual(await answer, []);
    let isUnhandled = false;
    const onUnhandled = (): void => {
      isUnhandled = true;
    };
    process.prependOnceListener('unhandledRejection', onUnhandled);
    open();
    await untilBlocked();
    process.off('unhandledRejection', onUnhandled);
    assert.deepEqual([isUnhandled, scripted.kinds], [false, ['inline']]);
  });

  it('shows the model as busy only during explicit requests, and records all requests', async () => {
    const scripted = new Scripted();
    scripted.session.changed(A);
    const settings = { ...SETTINGS, prefetch: 'never', debounceMs: 60_000 } as const;
    await scripted.request(A, { settings });
    assert.equal(scripted.busyCount, 0);
    // The time since the request arrived counts as part of the pause.
    const [pauseMs = NaN] = scripted.settled;
    assert.ok(pauseMs > 0 && pauseMs < 60_000, String(pauseMs));
    await scripted.request(A, { settings, trigger: 'explicit' });
    assert.equal(scripted.busyCount, 1);
    const [[kind, name, outcome, pausedMs] = [], second] = scripted.records as unknown[][];
    assert.deepEqual([kind, name, outcome, typeof pausedMs], ['inline', 'a.ts', 'shown', 'number']);
    assert.deepEqual(second, ['inline', 'a.ts', 'shown', undefined]);
  });

  it('stops the answer to a cancelled request unless the user has typed its beginning', async () => {
    for (const [typed, isStopped] of [
      ['a =\n', true],
      ['a = \n', false],
      ['a =x\n', true],
    ] as const) {
      const scripted = new Scripted();
      scripted.session.changed(A);
      const { opened, open } = gate();
      scripted.decoding = opened;
      const controller = new AbortController();
      const first = scripted.request(A, { signal: controller.signal });
      await untilBlocked();
      // The model has written a space.
      const document = typed === A.text ? A : { ...A, text: typed };
      if (document !== A) scripted.session.changed(document, 3);
      controller.abort();
      assert.deepEqual(await first, []);
      assert.deepEqual(scripted.kinds, [isStopped ? 'inline, stopped' : 'inline'], typed);
      if (isStopped) continue;
      const next = scripted.request(document);
      open();
      assert.deepEqual(await next, ['b;']);
      assert.deepEqual(scripted.kinds, ['inline'], 'the next request joins the answer');
    }
  });

  it('lets a second request at the same cursor join the answer, also after the first one is cancelled', async () => {
    const scripted = new Scripted();
    scripted.session.changed(A);
    const { opened, open } = gate();
    scripted.decoding = opened;
    const controller = new AbortController();
    const first = scripted.request(A, { signal: controller.signal });
    await untilBlocked();
    const second = scripted.request(A);
    controller.abort();
    assert.deepEqual(await first, []);
    open();
    assert.deepEqual(await second, [' b;']);
    assert.deepEqual(scripted.kinds, ['inline']);
  });

  it('stops the answer when another request arrives, and drops a request superseded during the battery check', async () => {
    const scripted = new Scripted();
    for (const open of [A, B]) scripted.session.changed(open);
    scripted.decoding = new Promise(() => undefined);
    const first = scripted.request(A);
    await untilBlocked();
    const settings = { ...SETTINGS, prefetch: 'never', pauseOnBattery: true } as const;
    const second = scripted.request(B, { settings });
    const third = scripted.request(A, { settings });
    await untilBlocked();
    assert.deepEqual([await first, await second], [[], []]);
    assert.deepEqual(scripted.kinds, ['inline, stopped', 'inline']);
    scripted.session.end();
    assert.deepEqual(await third, []);
  });

  it('lets only an automatic request wait for the prefetch at its cursor', async () => {
    for (const trigger of ['automatic', 'explicit'] as const) {
      const scripted = new Scripted();
      scripted.session.changed(A);
      const { opened, open } = gate();
      scripted.decoding = opened;
      scripted.rest(A);
      await untilBlocked();
      const answer = scripted.request(A, { trigger });
      await untilBlocked();
      const isAutomatic = trigger === 'automatic';
      assert.deepEqual(scripted.kinds, isAutomatic ? ['prefetch'] : ['prefetch, stopped', 'inline']);
      open();
      assert.equal((await answer)[0], ' b;');
    }
  });

  it('goes on with a prefetch while a recent suggestion answers an automatic request', async () => {
    const scripted = new Scripted();
    for (const open of [A, B]) scripted.session.changed(open);
    await scripted.request(A);
    scripted.decoding = new Promise(() => undefined);
    scripted.rest(B);
    await untilBlocked();
    assert.deepEqual(await scripted.request(A), [' b;']);
    assert.deepEqual(scripted.kinds, ['inline', 'prefetch']);
    void scripted.request(A, { trigger: 'explicit' });
    await untilBlocked();
    assert.deepEqual(scripted.kinds, ['inline', 'prefetch, stopped', 'inline']);
  });

  it('stops its answer and its prefetch when it ends', async () => {
    const scripted = new Scripted();
    scripted.session.changed(A);
    scripted.decoding = new Promise(() => undefined);
    const answer = scripted.request(A);
    await untilBlocked();
    scripted.session.end();
    assert.deepEqual(await answer, []);
    scripted.rest(A);
    await untilBlocked();
    scripted.session.end();
    assert.deepEqual(scripted.kinds, ['inline, stopped', 'prefetch, stopped']);
  });

  it('forgets the suggestions in a closed document, and stops its prefetch', async () => {
    const scripted = new Scripted();
    scripted.session.changed(A);
    await scripted.request(A);
    scripted.decoding = new Promise(() => undefined);
    scripted.rest(A);
    await untilBlocked();
    scripted.session.closed(A.uri);
    assert.deepEqual(scripted.kinds, ['inline', 'prefetch, stopped']);
    assert.equal(scripted.session.document(A.uri), undefined);
    scripted.session.changed(A);
    scripted.decoding = Promise.resolve();
    await scripted.request(A);
    assert.equal(scripted.decodes.length, 3, 'the model is needed again');
  });

  it('goes on with an answer while another document is closed', async () => {
    const scripted = new Scripted();
    for (const document of [A, B]) scripted.session.changed(document);
    const { opened, open } = gate();
    scripted.decoding = opened;
    const answer = scripted.request(A);
    await untilBlocked();
    scripted.session.closed(B.uri);
    open();
    assert.deepEqual(await answer, [' b;']);
    assert.deepEqual(scripted.kinds, ['inline']);
  });

  it('prefills the prompt of a resting cursor with an idle local model, in documents that may enter prompts', async () => {
    for (const [document, isIdle, isRemote, isPrefilled] of [
      [A, true, false, true],
      [B, true, false, false],
      [SECRET, true, false, false],
      [A, false, false, false],
      [A, true, true, false],
    ] as const) {
      const scripted = Object.assign(new Scripted(), { isIdle, isRemote });
      for (const open of [A, SECRET]) scripted.session.changed(open);
      scripted.rest(document);
      await untilBlocked();
      const shown = `${document.fileName} ${String(isIdle)} ${String(isRemote)}`;
      assert.deepEqual(scripted.kinds, isPrefilled ? ['prefetch'] : [], shown);
      assert.deepEqual(scripted.records, isPrefilled ? [['prefetch', 'a.ts']] : [], shown);
    }
  });

  it('prefills the prompt again once there are definitions for the document of the resting cursor', async () => {
    const scripted = new Scripted();
    for (const open of [A, B, SECRET]) scripted.session.changed(open);
    scripted.rest(A);
    await untilBlocked();
    for (const [uri, count] of [
      [B.uri, 1],
      [SECRET.uri, 1],
      [A.uri, 2],
    ] as const) {
      scripted.session.define(uri, RELATED);
      await untilBlocked();
      assert.equal(scripted.decodes.length, count, uri);
    }
    assert.match(scripted.decodes[1]?.prompt ?? '', /function d/);
    await scripted.request(A);
    scripted.session.define(A.uri, RELATED);
    await untilBlocked();
    assert.equal(scripted.decodes.length, 3, 'the cursor no longer rests');
  });

  it('prefetches what follows a shown suggestion, without a pause, unless the document has changed', async () => {
    for (const isChanged of [false, true]) {
      const scripted = new Scripted();
      scripted.session.changed(A);
      const { opened, open } = gate();
      scripted.decoding = opened;
      const settings = { ...SETTINGS, prefetch: 'always', debounceMs: 60_000 } as const;
      const answer = scripted.request(A, { settings });
      await untilBlocked();
      if (isChanged) scripted.session.changed({ ...A, text: 'a =\n\n' });
      open();
      assert.deepEqual(await answer, [' b;']);
      await untilBlocked();
      assert.deepEqual(scripted.kinds, isChanged ? ['inline'] : ['inline', 'prefetch']);
      if (isChanged) continue;
      assert.match(scripted.decodes[1]?.prompt ?? '', /a = b;/);
      assert.equal(scripted.settled.at(-1), 0);
      assert.deepEqual(scripted.records.at(-1), ['prefetch', 'a.ts']);
    }
  });

  it('prefetches nothing on battery if automatic requests pause there', async () => {
    for (const pauseOnBattery of [true, false]) {
      const scripted = Object.assign(new Scripted(), { isPluggedIn: false });
      scripted.session.changed(A);
      scripted.rest(A, { ...SETTINGS, prefetch: 'always', pauseOnBattery });
      await untilBlocked();
      assert.deepEqual(scripted.kinds, pauseOnBattery ? [] : ['prefetch']);
    }
  });

  it('stops a prefetch for another request that needs the model', async () => {
    const scripted = new Scripted();
    for (const open of [A, B]) scripted.session.changed(open);
    scripted.decoding = new Promise(() => undefined);
    scripted.rest(A);
    await untilBlocked();
    void scripted.request(B);
    await untilBlocked();
    assert.equal(scripted.kinds[0], 'prefetch, stopped');
  });

  it('quotes other open files only if the settings allow it', async () => {
    const other = documentOf('other.ts', 'const a = 1;\n');
    for (const useOpenFiles of [true, false]) {
      const scripted = new Scripted();
      scripted.session.changed(other, 3);
      scripted.session.changed(A);
      await scripted.request(A, { settings: { ...SETTINGS, prefetch: 'never', useOpenFiles } });
      assert.equal(scripted.decodes[0]?.prompt.includes('other.ts'), useOpenFiles);
    }
  });
});
