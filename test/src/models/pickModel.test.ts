// Tests the choice of a model: the rows of the picker, folders and repositories that users enter, and switches.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, hostname } from 'node:os';
import { mock } from 'node:test';
import type { CancellationToken } from 'vscode';
import type { CatalogueEntry, ModelCatalogue } from '../../../server/protocol/modelCatalogue';
import { Method, type StatusParams } from '../../../server/protocol/messages';
import type { ModelPair } from '../../../src/configuration';
import { askPath, askRepository, repositoryNames } from '../../../src/models/askModel';
import type { ModelParts } from '../../../src/models/chooseModel';
import { PairSwitch } from '../../../src/models/pairSwitch';
import { modelRows, pickModel, type ModelRow } from '../../../src/models/pickModel';
import { fake } from '../../support/fake';
import { CancellationTokenSource, commands, env, Uri, window, workspace } from '../support/fakeVscode';
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
  isRecommended: false,
  isInUse: false,
  memoryBytes: 4.7e9,
  speed: { class: 'fast', tokensPerSecond: 62, isMeasured: false },
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
const names = `${PAIR.target} + ${PAIR.drafter}`;
const MACHINE = { memoryBytes: 16e9, usableBytes: 12e9, freeDiskBytes: 50e9, processor: 'gpu' } as const;

function rows(...entries: CatalogueEntry[]): ModelRow[] {
  const catalogue: ModelCatalogue = { folder: '/cache', endpoint: 'https://hub', machine: MACHINE, entries };
  // The parts are not used before a row is picked.
  return modelRows(catalogue, {} as ModelParts);
}

describe('rows of the model picker', () => {
  it('list each model in the first section that fits, small ones first', () => {
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
    assert.deepEqual(labels, [
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

  it('list models for next edits separately, with size and licence', () => {
    const sweep: CatalogueEntry = {
      ...PAIR,
      name: 'Sweep Next Edit 0.5B',
      target: 'sweepai/sweep-next-edit-0.5B',
      drafter: 'none',
      license: 'Apache-2.0',
      downloadBytes: 1e9,
      memoryBytes: 1.2e9,
      isNextEdit: true,
    };
    const listed = rows(EMBEDDED, { ...sweep, isInUse: true }, { ...sweep, problem: 'Expected more.' });
    const at = listed.findIndex(({ label }) => label === 'for next edits');
    assert.match(listed[at + 1]?.description ?? '', /Apache-2\.0/);
    assert.match(listed[at + 1]?.detail ?? '', /1\.2 GB of memory · 1\.0 GB to download/);
    assert.equal(listed.filter(({ label }) => label.includes('Sweep')).length, 2);
    assert.equal(listed[at + 3]?.label, 'more');
  });

  const [page, remove] = ['Open model page', 'Remove from this machine'];
  const instant = { class: 'instant', tokensPerSecond: 112, isMeasured: true } as const;
  const slow = { class: 'slow', tokensPerSecond: 4.2, isMeasured: true } as const;
  const [size, download] = ['4.7 GB of memory', '3.3 GB to download'];
  const tooLarge = 'Needs 90.0 GB of memory; 12.0 GB is available for models.';
  // The most important words come first, as narrow windows cut off the rest.
  for (const [change, says] of [
    [{}, `Qwen3 4B 4-bit | fast (about 62 tok/s) | ${size} · ${download} · ${names} | ${page}`],
    [{ speed: instant, infill: 'chat' }, '| instant (112 tok/s) · prompted as a chat |'],
    [{ speed: slow, isRecommended: true }, '| best choice on this machine · 4.2 tok/s |'],
    [{ speed: slow }, '| slow (4.2 tok/s) |'],
    [{ drafterKind: 'DSpark', draftedTokensPerSecond: 143.2 }, 'with DSpark | fast (about 62 tok/s) · 143 t'],
    [{ isBase: true }, '| fast (about 62 tok/s) · completion only |'],
    [{ isBase: true, isNextEdit: true }, '| fast (about 62 tok/s) · Apache-2.0, MIT |'],
    [
      { draftsPay: false },
      `| ${size} · ${download} · drafts are not expected to make it faster · ${names} |`,
    ],
    [{ draftsPay: false, draftedTokensPerSecond: 9 }, `| ${size} · ${download} · ${names} |`],
    [{ draftsPay: false, isNextEdit: true }, `| ${size} · ${download} · ${names} |`],
    [{ draftsPay: true }, `| ${size} · ${download} · ${names} |`],
    [{ isInUse: true, isDownloaded: true }, '$(check) Qwen3 4B 4-bit |'],
    [{ isDownloaded: true }, '$(package) Qwen3 4B 4-bit |'],
    [{}, '$(cloud-download) Qwen3 4B 4-bit |'],
    [{ kind: 'drafter', isDownloaded: true }, '$(rocket) Qwen3 4B (drafter) |'],
    [{ kind: 'folder', isDownloaded: true, repositories: [] }, `| ${size} · ${names} | `],
    [{ isDownloaded: true, downloadBytes: undefined }, `| ${size} · downloaded · ${names} |`],
    [{ problem: 'Expected 1.', memoryBytes: 12e9 }, `| $(warning) Expected 1. · ${download} · ${names}`],
    [{ problem: 'Expected 1.', memoryBytes: undefined }, `| $(warning) Expected 1. · ${download} ·`],
    [{ drafter: 'none' }, `| ${size} · ${download} · drafts by look-up · ${PAIR.target} |`],
    [{ ...EMBEDDED, memoryBytes: 540e6 }, '| 540 MB of memory · for TypeScript, Python and other languag'],
    [
      { kind: 'repository', drafter: 'none', infill: 'prefix' },
      'Qwen3 4B without a drafter | fast (about 62 tok/s) · sees only the code before the cursor |',
    ],
    [{ isBegun: true, arrivedBytes: 1.419e9 }, `· paused at 43 % of 3.3 GB · ${names} | ${page}, ${remove}`],
    [{ isBegun: true, arrivedBytes: 5e8, downloadBytes: undefined }, '· paused after 500 MB ·'],
    [{ isDownloaded: true, directory: '/d' }, `· 3.3 GB downloaded · ${names} | ${page}, ${remove}`],
    [{ problem: 'Too large.', memoryBytes: 90e9 }, `| $(warning) ${tooLarge} · ${download} · ${names}`],
    [
      { problem: 'Expected qwen3.', isDownloaded: true },
      '| $(warning) Expected qwen3. · 3.3 GB downloaded ·',
    ],
  ] as readonly (readonly [Partial<CatalogueEntry>, string])[])
    it(`show ${says}...`, () => {
      const row = rows({ ...PAIR, ...change }).find(({ buttons }) => buttons !== undefined) ?? assert.fail();
      const tooltips = row.buttons?.map(({ tooltip }) => tooltip).join(', ');
      const shown = [row.label, row.description, row.detail, tooltips].join(' | ');
      assert.ok(`${shown} `.includes(says), shown);
    });

  it('have buttons with icons, without one for a page where there is no Hub', () => {
    const icons = (endpoint: string, entry: CatalogueEntry) =>
      modelRows({ folder: '', endpoint, machine: MACHINE, entries: [entry] }, {} as ModelParts)
        .flatMap(({ buttons = [] }) => buttons)
        .map(({ iconPath }) => (iconPath as { readonly id: string }).id);
    const downloaded = { ...PAIR, isDownloaded: true };
    assert.deepEqual(icons('https://hub', downloaded), ['link-external', 'trash']);
    assert.deepEqual(icons('', downloaded), ['trash']);
    assert.deepEqual(icons('https://hub', PAIR), ['link-external']);
    assert.deepEqual(icons('https://hub', { ...downloaded, repositories: [] }), []);
  });

  it('offer models of local servers by plain names, and files for llama.cpp', async () => {
    const chosen: string[][] = [];
    const remote = { use: (...words: string[]) => Promise.resolve(void chosen.push(words)) };
    const url = 'http://127.0.0.1:8080';
    const server = { program: 'llama.cpp', url, models: ['/models/$(zap)coder.gguf', 'C:\\Coder.GGUF'] };
    const catalogue = { folder: '', endpoint: '', machine: MACHINE, entries: [] };
    window.showOpenDialog = ({ filters }) =>
      Promise.resolve(Object.keys(filters ?? {}).map((kind) => Uri.file(`/models/of.${kind}`)));
    const listed = modelRows(catalogue, { remote } as unknown as ModelParts, [server]);
    const [, { description, detail } = assert.fail()] = listed;
    assert.equal(description, 'served by llama.cpp');
    assert.equal(detail, 'at 127.0.0.1:8080; nothing is sent until you agree');
    for (const label of ['$(server-process) $ (zap)coder.gguf', '$(server-process) Coder.GGUF', 'GGUF file'])
      await listed.find((row) => row.label.includes(label))?.choose?.();
    assert.deepEqual(chosen, [
      ...server.models.map((model) => [url, model]),
      ['llama-server', '/models/of.GGUF'],
    ]);
  });
});

describe('the model picker', () => {
  it('ends when it is closed before its list has arrived, and cancels the request', async () => {
    const before = CancellationTokenSource.open.size;
    let hide = (): void => undefined;
    let isDisposed = false;
    window.createQuickPick = () => ({
      onDidAccept: () => undefined,
      onDidTriggerItemButton: () => undefined,
      show: () => undefined,
      onDidHide: (listener: () => void) => void (hide = listener),
      dispose: () => void (isDisposed = true),
    });
    let token: CancellationToken | undefined;
    const client = {
      request: (_: string, __: object, requestToken: CancellationToken) => {
        token = requestToken;
        return new Promise(() => undefined);
      },
    };
    const done = pickModel({ client } as unknown as ModelParts, {});
    hide();
    await done;
    assert.equal(token?.isCancellationRequested, true);
    assert.deepEqual([isDisposed, CancellationTokenSource.open.size], [true, before]);
  });

  it('carries out the choice of a row or of a button, once its list has arrived', async () => {
    const { isTrusted } = workspace;
    const chosen: object[] = [];
    const parts = {
      client: {
        request: () =>
          Promise.resolve({
            endpoint: 'https://hub',
            machine: MACHINE,
            entries: [{ ...PAIR, isDownloaded: true }],
          }),
      },
      pairSwitch: { to: (pair: object) => Promise.resolve(void chosen.push(pair)) },
    } as unknown as ModelParts;
    // No requests to servers of this machine.
    workspace.isTrusted = false;
    for (const by of ['row', 'button'] as const) {
      const listeners: Record<string, (event?: unknown) => void> = {};
      const pick = {
        items: [] as ModelRow[],
        selectedItems: [] as ModelRow[],
        busy: false,
        show: () => undefined,
        onDidAccept: (listener: () => void) => (listeners['row'] = listener),
        onDidTriggerItemButton: (listener: (event?: unknown) => void) => (listeners['button'] = listener),
        onDidHide: () => undefined,
        dispose: () => undefined,
      };
      window.createQuickPick = () => pick;
      const done = pickModel(parts, {});
      assert.ok(pick.busy);
      while (pick.items.length === 0) await new Promise(setImmediate);
      assert.ok(!pick.busy);
      const item = pick.items[1] ?? assert.fail();
      pick.selectedItems = [item];
      // VS Code passes copies of buttons.
      listeners[by]?.({ item, button: { ...item.buttons?.[0] } });
      await done;
    }
    workspace.isTrusted = isTrusted;
    assert.deepEqual(chosen, [{ target: PAIR.target, drafter: PAIR.drafter }]);
    assert.equal(env.opened.at(-1), `https://hub/${PAIR.target}`);
  });

  it('asks servers of this machine for models only in a trusted workspace', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end(JSON.stringify({ data: [{ id: 'coder' }] }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const catalogue = { endpoint: '', machine: MACHINE, entries: [] };
    const parts = { client: { request: () => Promise.resolve(catalogue) } } as unknown as ModelParts;
    // A busy machine can take longer to answer than users wait for the picker.
    const timeout = mock.method(AbortSignal, 'timeout', () => new AbortController().signal);
    try {
      for (const isTrusted of [false, true]) {
        workspace.isTrusted = isTrusted;
        let hide = (): void => undefined;
        const pick = {
          items: [] as ModelRow[],
          show: () => undefined,
          dispose: () => undefined,
          onDidAccept: () => undefined,
          onDidTriggerItemButton: () => undefined,
          onDidHide: (listener: () => void) => void (hide = listener),
        };
        window.createQuickPick = () => pick;
        const done = pickModel(parts, { Ollama: port });
        while (pick.items.length === 0) await new Promise(setImmediate);
        assert.equal(requests, isTrusted ? 1 : 0);
        hide();
        await done;
      }
    } finally {
      workspace.isTrusted = true;
      timeout.mock.restore();
      server.closeAllConnections();
      server.close();
    }
  });

  it('ends with the error of the server', async () => {
    window.createQuickPick = () => ({
      onDidAccept: () => undefined,
      onDidTriggerItemButton: () => undefined,
      show: () => undefined,
      onDidHide: () => undefined,
      dispose: () => undefined,
    });
    const client = { request: () => Promise.reject(new Error('The server is not running.')) };
    await assert.rejects(pickModel({ client } as unknown as ModelParts, {}), /not running/);
  });
});

describe('a row of the model picker', () => {
  const original = { ...window };
  let questions: string[];
  let switches: object[];
  let sent: unknown[];
  /** Button to press in each question, and item to pick in each list. */
  let press: string | undefined;
  let pick: (labels: readonly string[]) => number;
  let folders: (string | undefined)[];
  let parts: ModelParts;
  beforeEach(() => {
    questions = [];
    switches = [];
    sent = [];
    press = undefined;
    folders = [];
    for (const kind of ['showInformationMessage', 'showWarningMessage', 'showErrorMessage'] as const)
      window[kind] = (message, options, ...rest) => {
        const detail = (options as { readonly detail?: string } | undefined)?.detail;
        questions.push(detail ? `${message} ${detail}` : message);
        return Promise.resolve([options, ...rest].includes(press) ? press : undefined);
      };
    window.showOpenDialog = () => {
      const path = folders.shift();
      return Promise.resolve(path === undefined ? undefined : [Uri.file(path)]);
    };
    window.showQuickPick = (items) => {
      const labels = (items as readonly { readonly label: string }[]).map(({ label }) => label);
      return Promise.resolve(items[pick(labels)]);
    };
    // No requests to servers of this machine.
    workspace.isTrusted = false;
    // A picker that is closed immediately.
    window.createQuickPick = () => ({
      onDidAccept: () => undefined,
      onDidTriggerItemButton: () => undefined,
      show: () => undefined,
      onDidHide: (listener: () => void) => setImmediate(listener),
      dispose: () => undefined,
    });
    parts = {
      client: {
        request: (method: string, params: object) => {
          sent.push([method, params]);
          return Promise.resolve({ bytes: 0, entries: [], machine: MACHINE });
        },
      },
      downloads: { otherRunning: () => undefined, pause: () => Promise.resolve() },
      pairSwitch: { to: (pair: object) => Promise.resolve(void switches.push(pair)) },
      configuration: { setNextEditModel: (model: string) => Promise.resolve(void switches.push({ model })) },
      token: { ask: () => Promise.resolve(switches.push('token' as never) > 0) },
      remote: { use: () => Promise.resolve() },
    } as unknown as ModelParts;
  });
  afterEach(() => {
    Object.assign(window, original);
    workspace.isTrusted = true;
  });

  function listed(...entries: CatalogueEntry[]): ModelRow[] {
    return modelRows({ folder: '', endpoint: 'https://hub', machine: MACHINE, entries }, parts);
  }
  const choose = (label: string, ...entries: CatalogueEntry[]): Promise<unknown> | undefined =>
    listed(...entries)
      .find((row) => row.label.includes(label))
      ?.choose?.();

  it('switches to its model, opens its page, or removes it after a question', async () => {
    const [, row] = listed({ ...PAIR, isDownloaded: true });
    const [page, remove] = row?.buttons ?? [];
    await row?.choose?.();
    assert.deepEqual(switches.splice(0), [{ target: PAIR.target, drafter: PAIR.drafter }]);
    await page?.choose();
    assert.equal(env.opened.at(-1), `https://hub/${PAIR.target}`);
    await remove?.choose();
    assert.deepEqual(questions, ['Remove Qwen3 4B 4-bit from this machine?']);
    assert.ok(!JSON.stringify(sent).includes('remove'));
    const requests = (): unknown[] => sent.map((request) => (request as unknown[])[0]);
    assert.deepEqual(requests(), [Method.models], 'the list is shown again');
    press = 'Remove';
    await remove?.choose();
    assert.deepEqual(requests(), [Method.models, Method.removeModel, Method.models]);
  });

  it('says what happens when a model in use is removed', async () => {
    for (const [change, says] of [
      [{}, 'Flashline will switch to the built-in pair.'],
      [{ isNextEdit: true }, 'Flashline will stop suggesting next edits with it.'],
    ] as const) {
      const rowsInUse = listed({ ...PAIR, ...change, isInUse: true, isDownloaded: true });
      await rowsInUse.flatMap(({ buttons = [] }) => buttons)[1]?.choose();
      assert.ok(questions.at(-1)?.endsWith(`It is in use. ${says}`), questions.at(-1));
    }
  });

  it('asks for the folder of a target, and for its drafter', async () => {
    const drafter = { ...PAIR, kind: 'drafter', name: 'DFlash', drafter: 'org/dflash' } as const;
    for (const [label, chosen] of [
      ['No drafter', { target: '/t', drafter: 'none' }],
      ['DFlash', { target: '/t', drafter: 'org/dflash' }],
      ['Choose a folder...', { target: '/t', drafter: '/d' }],
      ['none of them', undefined],
    ] as const) {
      folders = ['/t', '/d'];
      pick = (labels) => {
        assert.deepEqual(labels, ['Choose a folder...', 'DFlash', 'No drafter']);
        return labels.indexOf(label);
      };
      await choose('Target from a folder', drafter, PAIR);
      assert.deepEqual(switches.splice(0), chosen === undefined ? [] : [chosen]);
    }
    folders = [undefined];
    pick = () => assert.fail('a closed dialog ends the choice');
    await choose('Target from a folder');
    assert.deepEqual(switches, []);
  });

  it('sets a drafter from a folder, no drafter, or the token', async () => {
    folders = ['/d', undefined];
    await choose('Drafter from a folder');
    await choose('Drafter from a folder');
    await choose('No drafter');
    await choose('Hugging Face token');
    assert.deepEqual(switches, [{ drafter: '/d' }, { drafter: 'none' }, 'token']);
  });

  it('looks up a repository, shows why it cannot be used, and asks for a token where that helps', async () => {
    let validate: (typed: string) => string | undefined = () => undefined;
    let typed: string | undefined = 'a/b c/d';
    const values: (string | undefined)[] = [];
    window.showInputBox = ((options: { validateInput: typeof validate; value?: string }) => {
      validate = options.validateInput;
      values.push(options.value);
      return Promise.resolve(typed);
    }) as never;
    let lookedUp: unknown;
    let asked = 0;
    const client = {
      request: (_: string, params: object) => {
        sent.push(params);
        return Promise.resolve({ lookedUp, machine: MACHINE, endpoint: '' });
      },
    };
    const token = {
      forRequest: () => Promise.resolve({ token: 'hf_a' }),
      ask: () => Promise.resolve((asked += 1) === 1),
    };
    const ask = () => askRepository({ ...parts, client, token } as unknown as ModelParts);
    lookedUp = { entry: { ...PAIR, isDownloaded: true } };
    await ask();
    assert.deepEqual(sent, [{ repositories: ['a/b', 'c/d'], token: 'hf_a' }]);
    assert.deepEqual(switches.splice(0), [{ target: PAIR.target, drafter: PAIR.drafter }]);
    assert.deepEqual([validate(' '), validate('a/b')], [undefined, undefined]);
    assert.match(validate('a') ?? '', /one or two repository names/);
    for (const [reason, count] of [
      ['other', 1],
      ['refused', 2],
      ['missing', 1],
    ] as const) {
      sent = [];
      values.length = 0;
      press = 'Enter Token...';
      lookedUp = { failure: { reason, message: `It is ${reason}.` } };
      const running = ask();
      await running;
      assert.deepEqual([sent.length, values.length], [count, count], reason);
      assert.equal(questions.at(-1), `It is ${reason}.`);
      if (count === 2) assert.deepEqual(values, ['', 'a/b c/d'], 'the input box has the typed names again');
    }
    const { length } = questions;
    lookedUp = undefined;
    await ask();
    assert.deepEqual([questions.length, switches], [length, []], 'a cancelled look-up shows nothing');
    typed = undefined;
    sent = [];
    await ask();
    assert.deepEqual(sent, []);
  });
});

describe('the folder of a model', () => {
  it('is chosen on the machine where the extension runs, and refused on a remote machine', async () => {
    const there = { ...Uri.file('/models/a'), scheme: 'vscode-remote', authority: 'ssh-remote+gpu' };
    const shown: string[] = [];
    window.showErrorMessage = (message) => Promise.resolve(void shown.push(message));
    for (const [folders, expected] of [
      [[Uri.file('/models/a')], '/models/a'],
      [undefined, undefined],
      [[there], undefined],
    ] as const) {
      window.showOpenDialog = ({ defaultUri }) => {
        assert.equal(String(defaultUri), `file://${homedir()}`);
        return Promise.resolve(folders);
      };
      assert.equal(await askPath('Use'), expected);
    }
    assert.equal(shown.length, 1);
    assert.match(shown.join(), new RegExp(`^The models run on ${hostname()},.* is on ssh-remote\\+gpu`));
  });
});

describe('repositoryNames', () => {
  it('parses one or two names, also in addresses', () => {
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

  /** Switches to another pair; returns the switch and the settings that it changes. */
  async function switched() {
    const { server, ...editorSettings } = sampleSettings();
    const configuration = {
      settings: { ...editorSettings, server },
      setPair: ({ target, drafter }: ModelPair) => {
        configuration.settings = { ...editorSettings, server: { ...server, target, drafter } };
        return Promise.resolve();
      },
    };
    const pair = (): ModelPair => {
      const { target, drafter } = configuration.settings.server;
      return { target, drafter };
    };
    const pairSwitch = new PairSwitch(fake(configuration));
    await pairSwitch.to(chosen);
    return { configuration, pair, pairSwitch };
  }

  it('keeps the target if only a drafter was chosen, and changes nothing for the pair of the settings', async () => {
    const { configuration, pair, pairSwitch } = await switched();
    await pairSwitch.to({ drafter: 'c/d' });
    assert.deepEqual(pair(), { target: chosen.target, drafter: 'c/d' });
    configuration.setPair = () => assert.fail('the settings name that pair');
    await pairSwitch.to({ drafter: 'c/d' });
    await pairSwitch.to({ target: chosen.target, drafter: 'c/d' });
  });

  it('is followed by a warning with the reason if it fails, from which the log can be opened', async () => {
    const { showWarningMessage } = window;
    let press: string | undefined;
    const shown: unknown[] = [];
    window.showWarningMessage = (...words) => {
      shown.push(words);
      return Promise.resolve(press);
    };
    for (const [pressed, ran] of [
      [undefined, []],
      ['Show Log', ['flashline.showLog']],
    ] as const) {
      press = pressed;
      commands.ran = [];
      const { pairSwitch } = await switched();
      await pairSwitch.onStatus({ ...error, chosen });
      assert.deepEqual(commands.ran, ran);
    }
    const warning = ['Flashline went back to the previous model: Expected y.', 'Show Log'];
    assert.deepEqual(shown, [warning, warning]);
    window.showWarningMessage = showWarningMessage;
  });

  it('is reverted after a request that has run with the pair before it meanwhile', async () => {
    const { pair, pairSwitch } = await switched();
    await pairSwitch.onStatus({ state: 'generating', chosen });
    assert.deepEqual(pair(), chosen);
    await pairSwitch.onStatus({ state: 'ready', fallback: 'Expected x.', chosen });
    assert.deepEqual(pair(), previous);
  });

  it('is kept once the pair has worked, whatever fails later', async () => {
    const { pair, pairSwitch } = await switched();
    await pairSwitch.onStatus({ state: 'ready', chosen: previous });
    await pairSwitch.onStatus({ ...error, chosen: previous });
    assert.deepEqual(pair(), chosen, 'statuses of the previous pair have no effect');
    await pairSwitch.onStatus({ state: 'ready', chosen });
    await pairSwitch.onStatus({ ...error, chosen });
    assert.deepEqual(pair(), chosen);
  });

  it('is reverted after a failure, even if the pair before it was reported as ready meanwhile', async () => {
    const { pair, pairSwitch } = await switched();
    await pairSwitch.onStatus({ state: 'ready', chosen: previous });
    await pairSwitch.onStatus({ ...error, chosen });
    assert.deepEqual(pair(), previous);
  });

  it('is reverted once after a failure, and never after another choice', async () => {
    const { configuration, pair, pairSwitch } = await switched();
    const chosenLater = { target: 'c/d', drafter: '' };
    await configuration.setPair(chosenLater);
    await pairSwitch.onStatus(error);
    assert.deepEqual(pair(), chosenLater);
    await pairSwitch.to(chosen);
    await pairSwitch.onStatus(error);
    assert.deepEqual(pair(), chosenLater);
    await configuration.setPair(chosen);
    await pairSwitch.onStatus(error);
    assert.deepEqual(pair(), chosen);
    for (const status of [error, { state: 'ready', fallback: 'Expected x.' } as const]) {
      const next = await switched();
      await next.pairSwitch.onStatus({ state: 'loading' });
      assert.deepEqual(next.pair(), chosen);
      await next.pairSwitch.onStatus(status);
      assert.deepEqual(next.pair(), previous);
    }
  });
});
