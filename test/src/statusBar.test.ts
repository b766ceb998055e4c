// Tests the status bar item in each state: its icon and text, its tooltip, and its label for screen readers.
import assert from 'node:assert/strict';
import type { StatusParams } from '../../server/protocol/messages';
import { LLAMA_CPP } from '../../server/rules/remoteAddress';
import { NO_ACCEPTANCE } from '../../src/ghostText/acceptanceCounter';
import { reasonTexts } from '../../src/gate/gateReasons';
import { menu, type MenuItem } from '../../src/status/menu';
import { render, StatusBar } from '../../src/status/statusBar';
import { SuggestionTimes } from '../../src/status/suggestionTimes';
import type { StatusView } from '../../src/status/statusView';
import { extensions, window } from './support/fakeVscode';
import { sampleSettings } from './support/sampleDocument';
import { SAMPLE_MODEL as MODEL, sampleRow } from './support/sampleRow';

const READY: StatusParams = { state: 'ready', model: MODEL };
const GENERATING: StatusParams = { ...READY, state: 'generating' };
const ASLEEP: StatusParams = { state: 'asleep', asleepBecause: 'unused' };
const DISABLED = { reason: 'disabled', text: 'Off everywhere' } as const;
const DOWNLOAD: StatusView['download'] = {
  name: 'Qwen3 4B',
  progress: { arrivedBytes: 1.204e9, bytes: 2.8e9, bytesPerSecond: 12e6, secondsLeft: 60 },
};

function remote(host: string, state: StatusParams['state'] = 'ready'): StatusParams {
  return { state, model: { ...MODEL, target: 'qwen3-coder', device: 'remote', remote: { host } } };
}

function show(change: Partial<StatusView>): ReturnType<typeof render> {
  const usual = { connection: 'running', server: READY, trigger: 'automatic' } as const;
  return render({ ...usual, acceptance: NO_ACCEPTANCE, ...change });
}

/** Rounds of nine tokens, enough to measure a speed. */
const LONG = [
  [3, 3],
  [3, 2],
  [1, 1],
] as const;
const lastRow = sampleRow({ rounds: LONG, decodeMs: 180 });
const speed = { rate: '50', tokensPerPass: 3 };
const noStatus = { server: undefined };

describe('the status bar item', () => {
  const views: Readonly<Record<string, Partial<StatusView>>> = {
    'starting $(loading~spin) Flashline starting': { connection: 'starting', ...noStatus },
    'starting $(loading~spin) Flashline restarting': { connection: 'restarting', ...noStatus },
    'error $(error) Flashline stopped': { connection: 'stopped', ...noStatus },
    'loading $(loading~spin) Flashline loading 42 %': { server: { state: 'loading', progress: 0.424 } },
    'loading $(loading~spin) Flashline loading 0 %': { server: { state: 'loading' } },
    'loading $(loading~spin) Flashline loading 50 %': { server: { state: 'loading', progress: 0.5 }, speed },
    'error $(error) Flashline has a problem': { pause: DISABLED, server: { state: 'error', message: 'x' } },
    'ready $(zap) Flashline': { lastRow: sampleRow({ rounds: [] }) },
    'ready $(zap) Flashline 50 tok/s': { speed },
    'generating $(sync~spin) Flashline 50 tok/s': { server: GENERATING, speed },
    'asleep $(circle-outline) Flashline': { server: ASLEEP, speed },
    'fallback $(warning) Flashline': { server: { ...READY, fallback: 'Expected a model.' } },
    'asleep $(cloud-upload) Flashline: gpu:8000': { server: { ...ASLEEP, host: 'gpu:8000' } },
    'connecting $(loading~spin) Flashline: connecting to gpu:8000': {
      server: { state: 'connecting', host: 'gpu:8000' },
    },
    'ready $(cloud-upload) Flashline: gpu:8000': { server: remote('gpu:8000') },
    'generating $(sync~spin) Flashline 50 tok/s at gpu:8000': {
      server: remote('gpu:8000', 'generating'),
      speed,
    },
    'unreachable $(debug-disconnect) Flashline: cannot reach gpu:8000': {
      server: { state: 'unreachable', host: 'gpu:8000', message: 'Expected an answer.' },
      speed,
    },
    'asleep $(circle-outline) Flashline: llama.cpp (local)': { server: { ...ASLEEP, host: LLAMA_CPP } },
    'connecting $(loading~spin) Flashline: starting llama.cpp (local)': {
      server: { state: 'connecting', host: LLAMA_CPP },
    },
    'ready $(zap) Flashline 50 tok/s at llama.cpp (local)': { server: remote(LLAMA_CPP), speed },
    'ready $(zap) Flashline 50 tok/s $(cloud-download) 43 %': { download: DOWNLOAD, speed },
    'paused $(circle-slash) Flashline paused': { pause: { reason: 'language', text: 'Off.' }, speed },
    'paused $(bell-slash) Flashline snoozed': { pause: { reason: 'snoozed', text: 'Snoozed.' } },
    'paused $(circle-slash) Flashline off': { pause: DISABLED, server: { state: 'loading' } },
  };
  for (const [shows, view] of Object.entries(views))
    it(`shows ${shows}`, () => {
      const shown = show(view);
      assert.equal(`${shown.state} ${shown.text}`, shows);
      assert.ok(shown.label.startsWith(`Flashline: ${shown.reason}`));
      assert.equal(shown.label.includes('tokens per second'), shown.text.includes('tok/s'));
      const message = view.server?.message ?? view.pause?.text ?? '';
      assert.ok(shown.reason.includes(message) && shown.tooltip.includes(message));
    });

  for (const [words, reason, view] of [
    ['starting', 'The server is starting.', { connection: 'starting', ...noStatus }],
    ['starting', 'The server is starting.', { server: { state: 'starting' } }],
    ['starting', 'The server is starting.', noStatus],
    ['starting', 'The server is restarting.', { connection: 'restarting', ...noStatus }],
    ['loading the model', 'Loading the model: 42 %.', { server: { state: 'loading', progress: 0.424 } }],
    ['connecting', 'Connecting to gpu:8000.', { server: { state: 'connecting', host: 'gpu:8000' } }],
    [
      'connecting',
      `${LLAMA_CPP} is starting. The log shows what it does.`,
      { server: { state: 'connecting', host: LLAMA_CPP } },
    ],
    ['ready', 'Suggestions appear as you type.', {}],
    ['ready', 'Parts of your open files are sent to gpu:8000.', { server: remote('gpu:8000') }],
    ['ready', 'Suggestions appear as you type.', { server: remote(LLAMA_CPP) }],
    ['ready', 'The model from your settings is not in use.', { server: { ...READY, fallback: 'x' } }],
    ['ready', 'The model loads with your first key.', { server: ASLEEP }],
    ['working', 'Generating.', { server: GENERATING }],
    [
      'no connection',
      'The remote engine cannot be used. Flashline tries again while you type. No answer.',
      { server: { state: 'unreachable', host: 'gpu:8000', message: 'No answer.' } },
    ],
    ['paused', 'Off everywhere', { pause: DISABLED }],
    [
      'stopped by a problem',
      'Something went wrong. See the log for details.',
      { server: { state: 'error' } },
    ],
    [
      'stopped by a problem',
      'The server keeps crashing and was not restarted. Restart it from the menu.',
      { connection: 'stopped', ...noStatus },
    ],
  ] as readonly (readonly [words: string, reason: string, view: Partial<StatusView>])[])
    it(`says "${words}" in the tooltip, with the reason "${reason}"`, () => {
      const shown = show(view);
      assert.equal(shown.reason, reason);
      assert.ok(shown.tooltip.startsWith(`**Flashline:** ${words}  \n`), shown.tooltip);
    });

  it('shows a stopped server before everything else, and a problem of the server before a pause', () => {
    const server = { state: 'error', message: 'No addon.' } as const;
    assert.match(show({ connection: 'stopped', server, pause: DISABLED }).reason, /keeps crashing/);
    assert.match(show({ connection: 'restarting', server, pause: DISABLED }).reason, /is restarting/);
    assert.equal(show({ server, pause: DISABLED }).reason, 'No addon.');
    assert.equal(show({ connection: 'starting', pause: DISABLED }).reason, 'Off everywhere');
  });

  it('has the last measured speed in its label', () => {
    assert.equal(
      show({ speed }).label,
      'Flashline: Suggestions appear as you type. Last measured speed: 50 tokens per second.',
    );
    assert.equal(show({}).label, 'Flashline: Suggestions appear as you type.');
  });

  it('explains the outcome of the last request only while it is ready, not paused, and if nothing was shown', () => {
    const lastRow = sampleRow({ file: 'a.ts', outcome: 'filtered' });
    const explains = (change: Partial<StatusView>): boolean =>
      show({ lastRow, file: 'a.ts', ...change }).tooltip.includes('Last request:');
    assert.ok(explains({}));
    for (const change of [
      { server: GENERATING },
      { pause: DISABLED },
      ...(['shown', 'cancelled', 'length', 'repetition'] as const).map((outcome) => {
        return { lastRow: sampleRow({ file: 'a.ts', outcome }) };
      }),
    ])
      assert.ok(!explains(change), JSON.stringify(change));
  });

  it('keeps the speed of the last request that was long enough to measure it, until another model is in use', () => {
    const times = new SuggestionTimes();
    const another = { ...MODEL, target: 'qwen3-chat' };
    times.useModel(MODEL);
    for (const rounds of [
      [[3, 0]],
      [[3, 3]],
      [
        [3, 3],
        [3, 2],
      ],
    ] as const)
      times.addSpeed(sampleRow({ rounds, decodeMs: 1 }));
    assert.equal(times.speed, undefined);
    times.addSpeed(lastRow);
    times.addSpeed(sampleRow({ rounds: [[3, 3]], decodeMs: 1 }));
    times.addSpeed(sampleRow({ model: another, rounds: LONG, decodeMs: 1 }));
    times.useModel(MODEL);
    assert.deepEqual(times.speed, speed);
    for (const next of [another, { ...MODEL, drafter: 'another drafter' }]) {
      times.useModel(next);
      assert.equal(times.speed, undefined);
      times.useModel(MODEL);
      times.addSpeed(lastRow);
    }
  });

  it('names several cursors as the reason in the tooltip, and keeps its icon', () => {
    const pause = { reason: 'multiCursor', text: reasonTexts('').multiCursor } as const;
    const filtered = sampleRow({ rounds: LONG, outcome: 'filtered' });
    for (const server of [READY, ASLEEP]) {
      const { state, tooltip } = show({ server, pause, lastRow: filtered, file: 'stack.js' });
      assert.equal(state, server.state);
      assert.match(tooltip, /\*\*Here:\*\* There are several cursors\./);
    }
    assert.equal(show({ pause, speed }).text, show({ speed }).text);
    assert.doesNotMatch(show({ pause, server: { ...READY, state: 'loading' } }).tooltip, /cursors/);
  });

  it('shows a pause on battery with its reason, but not while it loads or generates', () => {
    const { state, reason } = show({ server: { ...READY, paused: 'battery' } });
    assert.deepEqual([state, reason], ['paused', reasonTexts('').battery]);
    for (const [server, shows] of [
      [ASLEEP, 'paused'],
      [GENERATING, 'generating'],
      [{ state: 'loading' }, 'loading'],
    ] as const)
      assert.equal(show({ server: { ...server, paused: 'battery' } }).state, shows);
  });

  it('says what the next key does while a remote engine is not in use', () => {
    const reasonFor = (host: string): string => show({ server: { ...ASLEEP, host } }).reason;
    assert.equal(reasonFor('gpu:8000'), 'Your first key connects to gpu:8000.');
    assert.equal(reasonFor(LLAMA_CPP), `Your next key starts ${LLAMA_CPP}.`);
  });

  it('shows the end of a snooze', () => {
    const snoozed = (until: number): string => reasonTexts('', until).snoozed;
    assert.ok(snoozed(Infinity).includes('until this window is closed or reloaded'));
    assert.ok(snoozed(new Date(2026, 1, 3, 9, 5).getTime()).includes('09:05'));
  });

  it('explains why a model sleeps, and when it loads', () => {
    const reasons = (['unused', 'idle', 'memory'] as const).map(
      (asleepBecause) => show({ server: { state: 'asleep', asleepBecause } }).reason,
    );
    assert.equal(new Set(reasons).size, 3);
    for (const reason of reasons) assert.match(reason, /with your (first|next) key\.$/);
    const chosen = { target: '', drafter: '' };
    const builtIn = show({ server: { ...ASLEEP, chosen } });
    assert.equal(builtIn.reason, 'The model loads with your first key (about 1 s).');
  });

  it('describes a ready model in a tooltip of six lines', () => {
    const acceptance = { ...NO_ACCEPTANCE, offered: 7, accepted: 3, acceptedParts: 2 };
    const model = { ...MODEL, target: 'embedded', drafter: 'embedded' };
    const { tooltip } = show({
      server: { ...READY, model },
      lastRow,
      speed,
      acceptance,
      suggestionMs: 141.6,
    });
    assert.deepEqual(tooltip.split('  \n'), [
      '**Flashline:** ready',
      '**Model:** built\\-in, on the CPU',
      '**Here:** Suggestions appear as you type.',
      '**Accepted:** 3 of 7 suggestions, and 2 words or lines of others',
      '**Time to suggestion:** 142 ms · 50 tok/s · 3.0 tokens per pass',
      '[Show Statistics](command:flashline.showStatistics)',
    ]);
  });

  const filtered = sampleRow({ file: 'a.ts', outcome: 'filtered' });
  for (const [name, change, says] of [
    [
      'that no model is loaded and no suggestion was shown',
      noStatus,
      /Model:\*\* not loaded[^]*no suggestion so far[^]*not measured yet/,
    ],
    ['the drafter', {}, /Model:\*\* qwen3\\-tiny, drafter dflash\\-tiny, on the CPU/],
    [
      'the lack of a drafter',
      { server: { ...READY, model: { ...MODEL, drafter: undefined } } },
      /without a drafter/,
    ],
    [
      'a drafter that does not fit',
      { server: { ...READY, model: { ...MODEL, drafterProblem: 'Expected 64;\nchoose *another*' } } },
      /Expected 64; choose \\\*another\\\*/,
    ],
    ['a fallback', { server: { ...READY, fallback: 'Expected *a* model.' } }, /Expected \\\*a\\\* model\./],
    ['a download', { download: DOWNLOAD }, /Qwen3 4B: 43 %, 1\.2 GB of 2\.8 GB, 12 MB\/s, 60 s left/],
    [
      'the host that receives text',
      { server: remote('gpu:8000') },
      /at gpu:8000, which receives parts of your open files/,
    ],
    ['a pause', { pause: DISABLED }, /Flashline:\*\* paused[^]*Here:\*\* Off everywhere/],
    ['slow suggestions', { suggestionMs: 2140 }, /2140 ms/],
    ['a filtered suggestion', { lastRow: filtered, file: 'a.ts' }, /Last request: filtered out/],
  ] as readonly (readonly [name: string, change: Partial<StatusView>, says: RegExp])[])
    it(`mentions ${name} in a tooltip of six lines`, () => {
      const { tooltip } = show(change);
      assert.match(tooltip, says);
      assert.equal(tooltip.split('\n').length, 6);
    });

  it('has a line about next edits while they are on, with the message of the server if it sent one', () => {
    const nextEditLine = (change: Partial<StatusView>): string | undefined =>
      show(change)
        .tooltip.split('  \n')
        .find((line) => line.includes('Next edit'));
    assert.equal(nextEditLine({}), undefined);
    const nextEdit = 'Waits for your next change.';
    assert.equal(nextEditLine({ nextEdit }), '**Next edit:** Waits for your next change.');
    const server = { ...READY, nextEdit: { state: 'paused', message: 'On battery.' } } as const;
    assert.equal(nextEditLine({ nextEdit, server }), '**Next edit:** On battery.');
    assert.equal(nextEditLine({ server }), undefined);
  });

  it('counts accepted suggestions without mention of accepted parts if there are none', () => {
    const acceptance = { ...NO_ACCEPTANCE, offered: 7, accepted: 3 };
    assert.match(show({ acceptance }).tooltip, /\*\*Accepted:\*\* 3 of 7 suggestions {2}\n/);
  });

  it('names a llama-server that Flashline started, or the host that it connects to, as the model', () => {
    assert.match(
      show({ server: remote(LLAMA_CPP) }).tooltip,
      /qwen3\\-coder in llama\.cpp \\\(local\\\), started by/,
    );
    assert.match(
      show({ server: { state: 'connecting', host: 'gpu:8000' } }).tooltip,
      /\*\*Model:\*\* gpu:8000/,
    );
  });

  it('says that suggestions appear only on demand in manual mode', () => {
    assert.equal(show({ trigger: 'manual' }).reason, 'Suggestions appear only on demand.');
  });

  it('omits the outcome of a request for another file', () => {
    assert.ok(!show({ lastRow: filtered, file: 'b.ts' }).tooltip.includes('filtered'));
  });

  it('names languages as VS Code does', () => {
    extensions.all = [
      { packageJSON: {} },
      { packageJSON: { contributes: { languages: [{ id: 'lua', aliases: ['Lua'] }, { id: 'odd' }] } } },
    ];
    const { unknownLanguage } = reasonTexts('lua');
    assert.match(unknownLanguage, /^The built-in model does not support Lua\./);
    assert.match(reasonTexts('odd').language, /for odd\.$/);
    extensions.all = [];
  });
});

describe('the entry of the status bar', () => {
  const { createStatusBarItem } = window;
  afterEach(() => {
    window.createStatusBarItem = createStatusBarItem;
  });

  it('updates its text, tooltip, label and error colour with the state', () => {
    interface Item {
      text?: string;
      command?: string;
      tooltip?: { readonly value: string; readonly isTrusted?: unknown };
      backgroundColor?: { readonly id: string } | undefined;
      accessibilityInformation?: { readonly label: string };
    }
    let shows = 0;
    const item: Item = {};
    window.createStatusBarItem = () =>
      Object.assign(item, { show: () => (shows += 1), dispose: () => (shows -= 1) });
    const bar = new StatusBar();
    assert.deepEqual([item.command, shows], ['flashline.showMenu', 1]);
    for (const [change, colour] of [
      [{ connection: 'stopped' }, 'statusBarItem.errorBackground'],
      [{ connection: 'running', server: READY }, undefined],
      [{ suggestionMs: 141 }, undefined],
    ] as const) {
      bar.update(change);
      const { text, label, tooltip } = bar.rendered;
      assert.deepEqual([item.text, item.accessibilityInformation?.label], [text, label]);
      assert.equal(item.tooltip?.value, tooltip);
      assert.equal(item.backgroundColor?.id, colour);
    }
    assert.equal(bar.view.connection, 'running', 'an update keeps the fields that it does not name');
    assert.deepEqual(item.tooltip?.isTrusted, { enabledCommands: ['flashline.showStatistics'] });
    bar.dispose();
    assert.equal(shows, 0);
  });
});

describe('the menu of the status bar', () => {
  const usual = (): Parameters<typeof menu>[0] => {
    const state = { isSnoozed: false, problem: undefined, pause: undefined, serving: undefined };
    return { settings: sampleSettings(), languageId: 'go', ...state };
  };
  const commands = (change: Partial<Parameters<typeof menu>[0]>) =>
    menu({ ...usual(), ...change }).map(({ command }) => command.replace('flashline.', ''));

  it('lists the remote engine only if the settings have one', () => {
    assert.ok(!commands({}).includes('remoteEngine'));
    const settings = sampleSettings({ 'flashline.remote.url': 'http://gpu:8000' });
    const item = menu({ ...usual(), settings }).find(({ command }) => command === 'flashline.remoteEngine');
    assert.equal(item?.description, 'http://gpu:8000');
  });

  it('describes only what is not built in: a chosen model and the address for other tools', () => {
    const described = (change: Partial<Parameters<typeof menu>[0]>) =>
      menu({ ...usual(), ...change }).flatMap(({ command, description }) =>
        description === undefined ? [] : [[command, description]],
      );
    assert.deepEqual(described({}), []);
    assert.deepEqual(described({ serving: 'http://127.0.0.1:8080' }), [
      ['flashline.toggleServing', 'http://127.0.0.1:8080'],
    ]);
    const settings = sampleSettings({ 'flashline.target': 'a/b' });
    assert.deepEqual(described({ settings }), [['flashline.pickModel', 'a/b']]);
  });

  it('turns suggestions off or on, snoozes for ten minutes or until the window closes, and opens the settings', () => {
    const entries = (change: Partial<Parameters<typeof menu>[0]>, name: string) =>
      menu({ ...usual(), ...change }).filter(({ command }) => command.endsWith(name));
    assert.match(entries({}, 'flashline.toggle')[0]?.label ?? '', /Turn off suggestions$/);
    const off = { settings: sampleSettings({ 'flashline.enable': { '*': false } }) };
    assert.match(entries(off, 'flashline.toggle')[0]?.label ?? '', /Turn on suggestions$/);
    assert.deepEqual(
      entries({}, 'snooze').map((item) => item.arguments),
      [[10], [Infinity]],
    );
    assert.deepEqual(entries({}, 'openSettings')[0]?.arguments, ['@ext:flashline.flashline']);
  });

  it('lists its commands in order, with the model of the settings and the language of the file', () => {
    const items = menu({ ...usual(), settings: sampleSettings({ 'flashline.target': 'a/b' }) });
    assert.deepEqual(
      items.map(({ command }) => command.replace('flashline.', '')),
      [
        'showStatistics',
        'snooze',
        'snooze',
        'toggleLanguage',
        'toggle',
        'generate',
        'pickModel',
        'toggleServing',
        'restart',
        'showLog',
        'workbench.action.openSettings',
        'openDocumentation',
      ],
    );
    assert.equal(items.find(({ command }) => command.endsWith('pickModel'))?.description, 'a/b');
    assert.match(
      items.find(({ command }) => command.endsWith('toggleLanguage'))?.label ?? '',
      /Turn off .* for go/,
    );
    const off = menu({ ...usual(), settings: sampleSettings({ 'flashline.enable': { go: false } }) });
    assert.match(
      off.find(({ command }) => command.endsWith('toggleLanguage'))?.label ?? '',
      /Turn on .* for go/,
    );
  });

  it('ends a snooze, and omits commands without effect', () => {
    const [end] = menu({ ...usual(), isSnoozed: true }).filter(
      ({ command }) => command === 'flashline.snooze',
    );
    assert.deepEqual(end?.arguments, [0]);
    assert.ok(!commands({ languageId: undefined }).includes('toggleLanguage'));
    const disabled = commands({ settings: sampleSettings({ 'flashline.enable': { '*': false } }) });
    assert.ok(!disabled.includes('snooze') && !disabled.includes('toggleLanguage'));
  });

  it('offers first what ends a pause, and switches the language only where that has an effect', () => {
    type Reason = NonNullable<Parameters<typeof menu>[0]['pause']>['reason'];
    const paused = (reason: Reason): readonly MenuItem[] =>
      menu({ ...usual(), pause: { reason, text: 'The reason.' } });
    for (const [reason, command, argument] of [
      ['editor', 'workbench.action.openSettings', 'editor.inlineSuggest.enabled'],
      ['excluded', 'workbench.action.openSettings', 'flashline.exclude'],
      ['untrusted', 'workbench.trust.manage', undefined],
    ] as const) {
      const [first] = paused(reason);
      assert.deepEqual(
        [first?.command, first?.arguments?.[0], first?.description],
        [command, argument, 'The reason.'],
      );
    }
    const switches = (reason: Reason): boolean =>
      paused(reason).some(({ command }) => command === 'flashline.toggleLanguage');
    for (const reason of ['language', 'unknownLanguage', 'multiCursor', 'snoozed'] as const)
      assert.ok(switches(reason), reason);
    for (const reason of ['secret', 'excluded', 'ignored', 'readOnly', 'untrusted', 'editor'] as const)
      assert.ok(!switches(reason), reason);
  });

  it('lists a harmless command first, and after an error the restart', () => {
    const harmless = /^flashline\.(showStatistics|pickModel)$/;
    for (const change of [{}, { isSnoozed: true }])
      assert.match(menu({ ...usual(), ...change })[0]?.command ?? '', harmless);
    const items = menu({ ...usual(), problem: 'No model.' });
    const restarts = items.filter(({ command }) => command === 'flashline.restart');
    assert.deepEqual([restarts, restarts[0]?.description], [items.slice(0, 1), 'No model.']);
    const models = items.filter(({ command }) => command === 'flashline.pickModel');
    assert.deepEqual(models, items.slice(1, 2), 'another model often ends the problem');
  });
});
