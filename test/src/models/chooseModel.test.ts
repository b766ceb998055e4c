// Tests what follows the choice of a model: the question, the download, the switch, and the next step after a failure.
import assert from 'node:assert/strict';
import type { CancellationToken } from 'vscode';
import type {
  CatalogueEntry,
  DownloadOutcome,
  DownloadProgress,
} from '../../../server/protocol/modelCatalogue';
import { Method } from '../../../server/protocol/messages';
import { chooseModel, removeModel, type ModelChoice } from '../../../src/models/chooseModel';
import { Downloads, type RunningDownload } from '../../../src/models/downloads';
import { StoredToken } from '../../../src/models/storedToken';
import { commands, env, window } from '../support/fakeVscode';

const ENTRY: CatalogueEntry = {
  kind: 'pair',
  name: 'Qwen3 4B',
  target: 'org/target',
  drafter: 'org/drafter',
  repositories: ['org/target', 'org/drafter'],
  bits: 4,
  license: 'MIT',
  downloadBytes: 3e9,
  arrivedBytes: 1e9,
  isDownloaded: false,
  isBegun: false,
  isRecommended: false,
  isInUse: false,
  memoryBytes: 4e9,
  speed: { class: 'fast', tokensPerSecond: 62, isMeasured: false },
};
const OTHER: CatalogueEntry = { ...ENTRY, name: 'Other', repositories: ['org/other'] };
const DONE: DownloadOutcome = { finished: 'done', directories: [] };
const PAUSED: DownloadOutcome = { finished: 'paused' };
const failed = (reason: 'refused' | 'missing' | 'problem' | 'other'): DownloadOutcome => {
  return { finished: 'failed', reason, message: `It is ${reason}.` };
};

/** Returns whether an argument of a question has its options; others are buttons. */
function isOptions(word: unknown): boolean {
  return typeof word === 'object' && word !== null && 'modal' in word;
}

function titleOf(button: unknown): string {
  return typeof button === 'string' ? button : (button as { readonly title: string }).title;
}

describe('the choice of a model', () => {
  const original = { ...window };
  /** Questions of the window, each with its kind, text, detail and buttons. */
  let questions: { kind: string; text: string; detail: string; isModal: boolean; buttons: string[] }[];
  /** Buttons to press; undefined closes a question. */
  let presses: (string | undefined)[];
  /** Results of the downloads; the last one is for all further ones. */
  let outcomes: (DownloadOutcome | Error)[];
  let sent: {
    method: string;
    params: { repositories: readonly string[]; force?: boolean; token?: string };
  }[];
  /** Settings that were changed. */
  let switches: object[];
  /** Settings that had been changed before the last request for a removal. */
  let switchesBeforeRemoval: object[];
  let shown: (RunningDownload | undefined)[];
  let secrets: Map<string, string>;
  let downloads: Downloads;
  let choice: ModelChoice;
  let pair: { target: string; drafter: string };
  /** Runs while a download is in progress. */
  let meanwhile: (onProgress: (progress: DownloadProgress) => void, token: CancellationToken) => unknown;
  let cancelDownload: () => void;
  let increments: (number | undefined)[];

  beforeEach(() => {
    questions = [];
    presses = [];
    outcomes = [DONE];
    sent = [];
    switches = [];
    shown = [];
    increments = [];
    secrets = new Map();
    pair = { target: '', drafter: '' };
    meanwhile = () => undefined;
    for (const kind of ['showInformationMessage', 'showWarningMessage', 'showErrorMessage'] as const)
      window[kind] = (text, ...words) => {
        const options = words.find((word): word is { modal: boolean; detail: string } => isOptions(word));
        const buttons = words.filter((word) => !isOptions(word));
        const { modal: isModal = false, detail = '' } = options ?? {};
        questions.push({ kind: kind.slice(4, -7), text, detail, isModal, buttons: buttons.map(titleOf) });
        const pressed = presses.shift();
        return Promise.resolve(buttons.find((button) => titleOf(button) === pressed) as string | undefined);
      };
    window.withProgress = (_, work) =>
      work(
        { report: ({ increment }: { message: string; increment?: number }) => increments.push(increment) },
        { onCancellationRequested: (listener) => (cancelDownload = listener) },
      );
    const client = {
      stream: async (
        method: string,
        params: (typeof sent)[number]['params'],
        onProgress: (progress: DownloadProgress) => void,
        token: CancellationToken,
      ) => {
        sent.push({ method, params });
        await meanwhile(onProgress, token);
        const outcome = (outcomes.length > 1 ? outcomes.shift() : outcomes[0]) ?? DONE;
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      request: (method: string, params: (typeof sent)[number]['params']) => {
        sent.push({ method, params });
        switchesBeforeRemoval = [...switches];
        return Promise.resolve({ bytes: 2e9 });
      },
    };
    const token = new StoredToken({
      get: (key: string) => Promise.resolve(secrets.get(key)),
      store: (key: string, value: string) => Promise.resolve(void secrets.set(key, value)),
      delete: (key: string) => Promise.resolve(void secrets.delete(key)),
    } as never);
    downloads = new Downloads(client as never, token);
    downloads.onDidChange((download) => shown.push(download));
    choice = {
      client,
      token,
      downloads,
      configuration: {
        get settings() {
          return { server: pair };
        },
        setNextEditModel: (model: string) => Promise.resolve(void switches.push({ nextEdit: model })),
      },
      pairSwitch: { to: (chosen: object) => Promise.resolve(void switches.push(chosen)) },
      entry: ENTRY,
      catalogue: {
        endpoint: 'https://hub',
        machine: { memoryBytes: 16e9, usableBytes: 12e9, freeDiskBytes: 50e9, processor: 'gpu' },
      },
    } as unknown as ModelChoice;
  });
  afterEach(() => {
    Object.assign(window, original);
  });

  const choose = (change: Partial<CatalogueEntry> = {}): Promise<void> =>
    chooseModel({ ...choice, entry: { ...ENTRY, ...change } });
  const titles = (): string[] => questions.map(({ text }) => text);

  it('switches to a model on this machine without a question', async () => {
    for (const [change, expected] of [
      [{}, { target: 'org/target', drafter: 'org/drafter' }],
      [{ kind: 'drafter' }, { drafter: 'org/drafter' }],
      [{ isNextEdit: true }, { nextEdit: 'org/target' }],
    ] as const) {
      await choose({ ...change, isDownloaded: true });
      assert.deepEqual(switches.splice(0), [expected]);
    }
    assert.deepEqual([questions, sent], [[], []]);
  });

  it('asks with the facts before a download, and does nothing without consent', async () => {
    await choose();
    assert.deepEqual(questions, [
      {
        kind: 'Information',
        text: 'Download Qwen3 4B 4-bit?',
        isModal: true,
        buttons: ['Download'],
        detail: [
          'Download: 2.0 GB (50.0 GB free on disk)',
          'Memory: 4.0 GB (12.0 GB available for models)',
          'Licence: MIT',
          'Speed without drafts: fast (about 62 tok/s)',
        ].join('\n'),
      },
    ]);
    assert.deepEqual([sent, switches], [[], []]);
    questions = [];
    presses = ['Download'];
    await choose({
      downloadBytes: undefined,
      memoryBytes: undefined,
      license: undefined,
      speed: undefined,
      problem: 'Expected qwen3, got mamba.',
    });
    const [{ kind, detail, buttons } = assert.fail()] = questions;
    assert.deepEqual([kind, buttons], ['Warning', ['Download Anyway']]);
    assert.equal(detail, 'Licence: not stated\nExpected qwen3, got mamba.');
    assert.deepEqual(sent, []);
  });

  it('shows the problem of a model that is in no repository and cannot be loaded', async () => {
    await choose({ kind: 'folder', repositories: [], problem: 'There is no such folder.' });
    assert.deepEqual(
      questions.map(({ kind, text, buttons }) => [kind, text, buttons]),
      [['Error', 'There is no such folder.', []]],
    );
    assert.deepEqual([sent, switches], [[], []]);
  });

  it('downloads with the token of the user and switches; forces the download of a model with a problem', async () => {
    secrets.set('flashline.hubToken', 'hf_a');
    presses = ['Download', 'Download Anyway'];
    await choose();
    await choose({ problem: 'Too large.' });
    const { repositories } = ENTRY;
    assert.deepEqual(sent, [
      { method: Method.download, params: { repositories, token: 'hf_a' } },
      { method: Method.download, params: { repositories, token: 'hf_a', force: true } },
    ]);
    assert.equal(switches.length, 2);
  });

  it('asks again before the switch if another model was chosen during the download', async () => {
    for (const press of [undefined, 'Use It']) {
      presses = ['Download', press];
      pair = { target: '', drafter: '' };
      meanwhile = () => (pair = { target: 'a/b', drafter: '' });
      await choose();
      assert.deepEqual(titles().splice(-1), ['Qwen3 4B 4-bit has been downloaded.']);
      assert.equal(switches.length, press === undefined ? 0 : 1);
    }
  });

  it('offers to resume or delete a paused download', async () => {
    outcomes = [PAUSED, DONE];
    presses = ['Download', 'Resume'];
    await choose();
    assert.deepEqual(questions[1]?.buttons, ['Resume', 'Delete Partial Download']);
    assert.deepEqual([sent.length, switches.length], [2, 1]);
    sent = [];
    outcomes = [PAUSED];
    presses = ['Download', 'Delete Partial Download'];
    await choose();
    assert.deepEqual(
      sent.map(({ method }) => method),
      [Method.download, Method.removeModel],
    );
    assert.match(titles().at(-1) ?? '', /^Qwen3 4B 4-bit was removed, freeing 2\.0 GB\.$/);
  });

  it('offers a next step that fits each kind of failed download', async () => {
    window.showInputBox = () => Promise.resolve(' hf_new ');
    for (const [reason, offered, press, second] of [
      ['refused', ['Enter Token...', 'Open Model Page'], 'Enter Token...', { token: 'hf_new' }],
      ['missing', ['Enter Token...'], 'Enter Token...', { token: 'hf_new' }],
      ['problem', ['Download Anyway'], 'Download Anyway', { force: true }],
      ['other', ['Try Again', 'Show Log'], 'Try Again', {}],
    ] as const) {
      secrets.clear();
      sent = [];
      questions = [];
      switches = [];
      outcomes = [failed(reason), DONE];
      presses = ['Download', press];
      await choose();
      const { kind, text, buttons } = questions[1] ?? assert.fail();
      assert.deepEqual([kind, text, buttons], ['Error', `It is ${reason}.`, offered]);
      const { repositories } = ENTRY;
      assert.deepEqual(
        sent.map(({ params }) => params),
        [{ repositories }, { repositories, ...second }],
      );
      assert.equal(switches.length, 1);
    }
    outcomes = [failed('other')];
    presses = ['Download', 'Show Log'];
    await choose();
    assert.deepEqual(commands.ran, ['flashline.showLog']);
    outcomes = [failed('refused')];
    presses = ['Download', 'Open Model Page'];
    await choose();
    assert.equal(env.opened.at(-1), 'https://hub/org/target');
  });

  it('asks for a model despite its problem again when a download of it is tried again', async () => {
    outcomes = [failed('other'), DONE];
    presses = ['Download Anyway', 'Try Again'];
    await choose({ problem: 'Expected 20 GB of memory.' });
    assert.deepEqual(
      sent.map(({ params }) => params.force),
      [true, true],
    );
  });

  it('keeps the stored token if the question about it is closed, and removes it for an empty answer', async () => {
    const tryTokens = async (typed: string | undefined): Promise<void> => {
      window.showInputBox = (options) => {
        assert.equal((options as { readonly password?: boolean }).password, true);
        return Promise.resolve(typed);
      };
      outcomes = [failed('missing'), DONE];
      presses = ['Download', 'Enter Token...'];
      sent = [];
      await choose();
    };
    secrets.set('flashline.hubToken', 'hf_a');
    await tryTokens(undefined);
    assert.deepEqual([sent.length, [...secrets.values()]], [1, ['hf_a']]);
    await tryTokens('  ');
    assert.deepEqual([sent.length, [...secrets.values()]], [2, []]);
  });

  it('asks whether to pause another download first', async () => {
    let release = (): void => undefined;
    meanwhile = (_, token) =>
      new Promise<void>((resolve) => {
        release = resolve;
        token.onCancellationRequested(() => resolve());
      });
    outcomes = [PAUSED, DONE];
    const first = downloads.start(OTHER, false);
    presses = ['Download', undefined];
    await choose();
    assert.match(titles().at(-1) ?? '', /^Other 4-bit is still downloading, and only one/);
    assert.equal(sent.length, 1);
    assert.equal(downloads.otherRunning(OTHER), undefined, 'the running download can be joined');
    presses = ['Download', 'Pause It'];
    const second = choose();
    assert.deepEqual(await first, PAUSED);
    meanwhile = () => undefined;
    await second;
    release();
    assert.equal(switches.length, 1);
    assert.equal(downloads.otherRunning(ENTRY), undefined);
  });

  it('shows the progress of a download, which its notification can pause', async () => {
    const at = (arrivedBytes: number): DownloadProgress => {
      return { arrivedBytes, bytes: 200, bytesPerSecond: 0, secondsLeft: 0 };
    };
    let isPaused = false;
    meanwhile = (onProgress, token) => {
      token.onCancellationRequested(() => (isPaused = true));
      for (const bytes of [20, 100, 90]) onProgress(at(bytes));
      onProgress({ ...at(0), bytes: 0 });
      cancelDownload();
    };
    const [first, joined] = [downloads.start(ENTRY, false), downloads.start(ENTRY, false)];
    assert.equal(first, joined);
    await first;
    assert.deepEqual([increments, isPaused, sent.length], [[10, 40, 0, 0], true, 1]);
    assert.deepEqual(shown[0], { name: 'Qwen3 4B 4-bit', progress: at(20) });
    assert.equal(shown.at(-1), undefined);
  });

  it('reports an error of the server as a failed download', async () => {
    outcomes = [new Error('The server has ended.')];
    assert.deepEqual(await downloads.start(ENTRY, false), {
      finished: 'failed',
      reason: 'other',
      message: 'The server has ended.',
    });
  });

  it('pauses a download that still runs when the window is closed', async () => {
    meanwhile = (_, token) =>
      new Promise<void>((resolve) => {
        token.onCancellationRequested(() => resolve());
      });
    outcomes = [PAUSED];
    const running = downloads.start(ENTRY, false);
    while (sent.length === 0) await new Promise(setImmediate);
    downloads.dispose();
    assert.deepEqual(await running, PAUSED);
  });

  it('takes a model in use out of the settings before it removes the model', async () => {
    for (const [change, expected] of [
      [{ isInUse: true }, [{ target: '', drafter: '' }]],
      [{ isInUse: true, isNextEdit: true }, [{ nextEdit: '' }]],
      [{ isNextEdit: true }, []],
    ] as const) {
      await removeModel({ ...choice, entry: { ...ENTRY, ...change } });
      assert.deepEqual(switchesBeforeRemoval, expected);
      assert.deepEqual(switches.splice(0), expected);
    }
    assert.deepEqual(sent[0], { method: Method.removeModel, params: { repositories: ENTRY.repositories } });
  });

  it('stops the download of a removed model, but not that of another model', async () => {
    let stops = 0;
    let release = (): void => undefined;
    meanwhile = (_, token) =>
      new Promise<void>((resolve) => {
        release = resolve;
        token.onCancellationRequested(() => {
          stops += 1;
          resolve();
        });
      });
    const running = downloads.start(ENTRY, false);
    while (sent.length === 0) await new Promise(setImmediate);
    await removeModel({ ...choice, entry: OTHER });
    assert.equal(stops, 0);
    await removeModel(choice);
    assert.equal(stops, 1);
    release();
    await running;
  });
});
