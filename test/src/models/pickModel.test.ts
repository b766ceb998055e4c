// What the model picker lists, and the words around downloads and switches.
import assert from 'node:assert/strict';
import type { CancellationToken } from 'vscode';
import type { CatalogueEntry, ModelCatalogue } from '../../../server/protocol/modelCatalogue';
import type { StatusParams } from '../../../server/protocol/messages';
import type { ModelPair } from '../../../src/configuration';
import { repositoryNames, type ModelParts, PairSwitch } from '../../../src/models/chooseModel';
import { modelRows, pickModel, type ModelRow } from '../../../src/models/pickModel';
import { CancellationTokenSource, Uri, window } from '../support/fakeVscode';
import { sampleSettings } from '../support/sampleDocument';

const PAIR: CatalogueEntry = {
  kind: 'pair',
  name: 'Qwen3 4B',
  target: 'mlx-community/Qwen3-4B-4bit',
  drafter: 'z-lab/Qwen3-4B-DFlash-b16',
  repositories: ['mlx-community/Qwen3-4B-4bit', 'z-lab/Qwen3-4B-DFlash-b16'],
  bits: 4,
  license: 'Apache-2.0, MIT',
  infill: 'fim',
  downloadBytes: 3.3e9,
  arrivedBytes: 0,
  isDownloaded: false,
  isBegun: false,
  memoryBytes: 4.7e9,
  speed: { class: 'fast', tokensPerSecond: 62, isMeasured: false },
  isRecommended: false,
  isInUse: false,
};
const EMBEDDED: CatalogueEntry = {
  kind: 'embedded',
  name: 'embedded',
  target: '',
  drafter: '',
  repositories: [],
  arrivedBytes: 0,
  isDownloaded: true,
  isBegun: false,
  isRecommended: false,
  isInUse: true,
  directory: '/extension/media/model/target',
};
const models = `${PAIR.target} + ${PAIR.drafter}`;
const MACHINE = { memoryBytes: 16e9, usableBytes: 12e9, freeDiskBytes: 50e9, processor: 'gpu' } as const;

function rows(...entries: CatalogueEntry[]): ModelRow[] {
  const catalogue: ModelCatalogue = { folder: '/cache', endpoint: 'https://hub', machine: MACHINE, entries };
  // None of the other parts is touched before something is picked.
  return modelRows(catalogue, {} as ModelParts);
}

function only(entry: Partial<CatalogueEntry>) {
  const row = rows({ ...PAIR, ...entry }).find((each) => each.buttons !== undefined);
  const { label, description = '', detail, buttons = [] } = row ?? assert.fail();
  return { label, description, detail, buttons: buttons.map(({ tooltip }) => tooltip) };
}

describe('the rows of the model picker', () => {
  it('stand in sections, each model in the first that it belongs to, small ones first', () => {
    const listed = rows(
      { ...PAIR, name: 'Huge', problem: 'Expected more.', memoryBytes: 90e9 },
      { ...PAIR, name: 'Odd', problem: 'Expected qwen3, got mamba.', memoryBytes: 1e9 },
      { ...PAIR, name: 'Large', memoryBytes: 9e9 },
      { ...PAIR, name: 'Small', memoryBytes: 2e9 },
      { ...PAIR, name: 'Best', isRecommended: true },
      { ...PAIR, name: 'Begun', isBegun: true, arrivedBytes: 1e9 },
      { ...PAIR, name: 'There', isDownloaded: true, isRecommended: true },
      EMBEDDED,
    );
    const labels = listed.map((row) => row.label.replace(/^\$\([\w-]+\) /, ''));
    assert.deepEqual(labels.slice(0, -7), [
      'in use',
      'Built-in pair',
      'on this machine',
      'There 4-bit',
      'partly downloaded',
      'Begun 4-bit',
      'recommended',
      'Best 4-bit',
      'available for download',
      'Small 4-bit',
      'Large 4-bit',
      'too large or not supported',
      'Odd 4-bit',
      'Huge 4-bit',
    ]);
    assert.deepEqual(labels.slice(-7), [
      'more',
      'Another Hugging Face repository...',
      'Target from a folder...',
      'Drafter from a folder...',
      'GGUF file with llama.cpp...',
      'No drafter',
      'Hugging Face token...',
    ]);
    const titles = listed.filter(({ choose }) => choose === undefined).map(({ kind }) => kind);
    assert.deepEqual(titles, Array<number>(7).fill(-1));
  });

  it('tell speed, size, memory, and how a model is prompted that cannot fill in', () => {
    const { description, detail, label } = only({});
    assert.equal(label, '$(cloud-download) Qwen3 4B 4-bit');
    assert.equal(description, 'fast (about 62 tok/s)');
    assert.equal(detail, `4.7 GB of memory · 3.3 GB to download · ${models}`);
    const speed = { class: 'instant', tokensPerSecond: 112, isMeasured: true } as const;
    assert.equal(only({ speed, infill: 'chat' }).description, 'instant (112 tok/s) · prompted as a chat');
  });

  it('tell first what would be cut off in a narrow window', () => {
    assert.equal(
      only({ drafter: 'none' }).detail,
      `4.7 GB of memory · 3.3 GB to download · drafts by look-up · ${PAIR.target}`,
    );
    const embedded = rows({ ...EMBEDDED, memoryBytes: 540e6 })[1];
    assert.equal(embedded?.detail, '540 MB of memory · for TypeScript, Python and other languages');
  });

  it('tell the drafters of one target apart, and how fast each has been', () => {
    const { label, description } = only({ drafterKind: 'DSpark', draftedTokensPerSecond: 143.2 });
    assert.equal(label, '$(cloud-download) Qwen3 4B 4-bit with DSpark');
    assert.match(description, /^fast \(about 62 tok\/s\) · 143 tok\/s with drafts$/);
  });

  it('tell how far a download is, and what is there', () => {
    assert.match(only({ isBegun: true, arrivedBytes: 1.419e9 }).detail ?? '', /paused at 43 % of 3.3 GB/);
    assert.match(only({ isDownloaded: true }).detail ?? '', /3.3 GB downloaded/);
    const [, row] = rows({
      ...EMBEDDED,
      kind: 'repository',
      isDownloaded: false,
      isBegun: true,
      arrivedBytes: 5e8,
    });
    assert.match(row?.detail ?? '', /paused after 500 MB/);
  });

  it('show what speaks against a model', () => {
    const large = only({ problem: 'Expected 90.0 GB ...', memoryBytes: 90e9 });
    assert.equal(
      large.detail,
      `$(warning) Needs 90.0 GB of memory; 12.0 GB is available for models. · 3.3 GB to download · ${models}`,
    );
    const odd = only({ problem: 'Expected qwen3.', isDownloaded: true });
    assert.equal(odd.detail, `$(warning) Expected qwen3. · 3.3 GB downloaded · ${models}`);
  });

  it('offer the models of servers that run here, and use them as a remote engine', async () => {
    const chosen: string[][] = [];
    const remote = { use: (...words: string[]) => Promise.resolve(void chosen.push(words)) };
    const url = 'http://127.0.0.1:8080';
    const server = { program: 'llama.cpp', url, models: ['/models/$(zap)coder.gguf', 'C:\\Coder.GGUF'] };
    const catalogue = { folder: '', endpoint: '', machine: MACHINE, entries: [EMBEDDED] };
    const parts = { remote } as unknown as ModelParts;
    const listed = modelRows(catalogue, parts, [server]);
    const rows = listed.filter(({ description }) => description === 'served by llama.cpp');
    assert.deepEqual(
      rows.map(({ label }) => label),
      ['$(server-process) $ (zap)coder.gguf', '$(server-process) Coder.GGUF'],
    );
    await rows[0]?.choose?.();
    assert.deepEqual(chosen.splice(0), [[url, '/models/$(zap)coder.gguf']]);
    window.showOpenDialog = ({ filters }) =>
      Promise.resolve(Object.keys(filters ?? {}).map((kind) => Uri.file(`/models/of.${kind}`)));
    await listed.find(({ label }) => label.includes('GGUF file'))?.choose?.();
    assert.deepEqual(chosen, [['llama-server', '/models/of.GGUF']]);
  });

  it('have buttons for what can be done', () => {
    const [page, remove] = ['Open model page', 'Remove from this machine'];
    assert.deepEqual(only({}).buttons, [page]);
    assert.deepEqual(only({ isBegun: true }).buttons, [page, remove]);
    assert.deepEqual(only({ isDownloaded: true, directory: '/d' }).buttons, [page, remove]);
    assert.deepEqual(only(EMBEDDED).buttons, []);
  });
});

/** The picker as VS Code has it; whatever it shows stays in it. */
class FakePick {
  items: readonly ModelRow[] = [];
  selectedItems: readonly ModelRow[] = [];
  accept = (): void => undefined;
  hide = (): void => undefined;
  readonly onDidAccept = (listener: () => void): void => void (this.accept = listener);
  readonly onDidHide = (listener: () => void): void => void (this.hide = listener);
  readonly onDidTriggerItemButton = (): void => undefined;
  readonly show = (): void => undefined;
  isDisposed = false;
  readonly dispose = (): void => void (this.isDisposed = true);
}

describe('the model picker', () => {
  /** Opened, with a list that comes when `listed` is called. */
  function opened() {
    const pick = new FakePick();
    window.createQuickPick = () => pick;
    let listed: (catalogue: ModelCatalogue) => void = () => undefined;
    let token: CancellationToken | undefined;
    const client = {
      request: (_: string, __: object, given: CancellationToken) => {
        token = given;
        return new Promise<ModelCatalogue>((resolve) => (listed = resolve));
      },
    };
    const place = { host: 'studio', relation: '' };
    const done = pickModel({ client, place } as unknown as ModelParts, {});
    return {
      pick,
      done,
      token: () => token,
      list: () => {
        listed({ folder: '', endpoint: '', machine: MACHINE, entries: [EMBEDDED] });
      },
    };
  }

  it('is over when it is closed before its list has come, which is then not waited for', async () => {
    const before = CancellationTokenSource.open.size;
    const { pick, done, token } = opened();
    pick.hide();
    await done;
    assert.equal(token()?.isCancellationRequested, true);
    assert.deepEqual([pick.isDisposed, CancellationTokenSource.open.size], [true, before]);
  });

  it('runs what is chosen from the list', async () => {
    const { pick, done, list } = opened();
    list();
    while (pick.items.length === 0) await Promise.resolve();
    let chosen = 0;
    pick.selectedItems = [{ label: 'a', choose: () => Promise.resolve((chosen += 1)) }];
    pick.accept();
    await done;
    assert.equal(chosen, 1);
  });
});

describe('the names of repositories', () => {
  it('are one or two, also from addresses', () => {
    assert.deepEqual(repositoryNames(' Qwen/Qwen3-4B '), ['Qwen/Qwen3-4B']);
    assert.deepEqual(repositoryNames('https://huggingface.co/a/b/ c/d-1.0'), ['a/b', 'c/d-1.0']);
    for (const wrong of ['', 'a', 'a/b/c', 'a/b c/d e/f', '../x', 'a b'])
      assert.equal(repositoryNames(wrong), undefined);
  });
});

describe('a switch to another pair', () => {
  const previous = { target: '', drafter: '' };
  const chosen = { target: 'a/b', drafter: 'none' };
  const error: StatusParams = { state: 'error', message: 'Expected y.' };

  /** A switch, and the settings that it changes. */
  function begun() {
    const { server, ...others } = sampleSettings();
    const configuration = {
      settings: { ...others, server },
      setPair: ({ target, drafter }: ModelPair) => {
        configuration.settings = { ...others, server: { ...server, target, drafter } };
        return Promise.resolve();
      },
    };
    const pair = (): ModelPair => {
      const { target, drafter } = configuration.settings.server;
      return { target, drafter };
    };
    return { configuration, pair, pairs: new PairSwitch(configuration) };
  }

  async function pairAfter(status: StatusParams): Promise<ModelPair> {
    const { pair, pairs } = begun();
    await pairs.to(chosen);
    await pairs.heard(status);
    return pair();
  }

  it('goes back when the server falls back or has an error, and only then', async () => {
    assert.deepEqual(await pairAfter({ state: 'ready', fallback: 'Expected x.' }), previous);
    assert.deepEqual(await pairAfter(error), previous);
    for (const state of ['ready', 'loading', 'asleep', 'generating'] as const)
      assert.deepEqual(await pairAfter({ state }), chosen);
  });

  it('does not go back once the pair has worked, whatever fails later', async () => {
    const { pair, pairs } = begun();
    await pairs.to(chosen);
    await pairs.heard({ state: 'ready', chosen: previous });
    await pairs.heard({ state: 'error', message: 'Expected y.', chosen: previous });
    assert.deepEqual(pair(), chosen, 'by what was told before');
    await pairs.heard({ state: 'ready', chosen });
    await pairs.heard({ ...error, chosen });
    assert.deepEqual(pair(), chosen);
  });

  it('goes back once, and not from what was chosen by other means', async () => {
    const { configuration, pair, pairs } = begun();
    await pairs.to(chosen);
    const other = { target: 'c/d', drafter: '' };
    await configuration.setPair(other);
    await pairs.heard(error);
    assert.deepEqual(pair(), other);
    await pairs.to(chosen);
    await pairs.heard(error);
    assert.deepEqual(pair(), other);
    await configuration.setPair(chosen);
    await pairs.heard(error);
    assert.deepEqual(pair(), chosen);
  });
});
