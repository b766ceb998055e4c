// The status bar entry in each state: its icon and words, its tooltip, and what a screen reader says.
import assert from 'node:assert/strict';
import type { StatsRow, StatusParams } from '../../server/protocol/messages';
import { LLAMA_CPP } from '../../server/rules/remoteAddress';
import { NO_ACCEPTANCE } from '../../src/ghostText/acceptance';
import { reasonTexts } from '../../src/ghostText/gate';
import { menu } from '../../src/status/menu';
import { render, type StatusView } from '../../src/status/statusBar';
import { extensions } from './support/fakeVscode';
import { sampleSettings } from './support/sampleDocument';
import { sampleRow } from './support/sampleRow';

const MODEL = {
  target: 'qwen3-tiny',
  drafter: 'dflash-tiny',
  device: 'cpu',
  infill: 'fim',
  maxDraftTokens: 15,
} as const;
const READY: StatusParams = { state: 'ready', model: MODEL };
const VIEW: StatusView = {
  connection: 'running',
  server: READY,
  trigger: 'automatic',
  acceptance: NO_ACCEPTANCE,
};

const DISABLED = { reason: 'disabled', text: 'Off everywhere' } as const;

const DOWNLOAD: StatusView['download'] = {
  name: 'Qwen3 4B',
  progress: { arrivedBytes: 1.204e9, bytes: 2.8e9, bytesPerSecond: 12e6, secondsLeft: 60 },
};

const REMOTE: StatusParams = {
  state: 'ready',
  model: {
    target: 'qwen3-coder',
    device: 'remote',
    infill: 'fim',
    maxDraftTokens: 0,
    remote: { host: 'gpu:8000' },
  },
};
/** Of a server that tells how many tokens there were, and nothing else. */
const remoteRow: StatsRow = {
  ...sampleRow(),
  acceptanceLengths: null,
  rounds: [],
  stats: {
    ...sampleRow().stats,
    ...{ reusedTokens: null, rounds: null, draftedTokens: null, acceptedTokens: null, sources: [] },
    ...{ acceptedByPosition: [], draftedByPosition: [], prefillMs: null, draftMs: null, verifyMs: null },
    ...{ buildMs: null, peakMemoryBytes: null },
  },
  rates: {
    tokensPerRound: null,
    acceptanceRate: null,
    decodeTokensPerSecond: 50,
    endToEndTokensPerSecond: null,
  },
};

function show(change: Partial<StatusView>): ReturnType<typeof render> {
  return render({ ...VIEW, ...change });
}

const fast = sampleRow({
  rounds: [
    [3, 2],
    [3, 1],
  ],
  decodeMs: 104,
});

describe('render', () => {
  const asleep: StatusParams = { state: 'asleep', asleepBecause: 'unused' };
  const unreachable: StatusParams = {
    state: 'unreachable',
    host: 'gpu:8000',
    message: 'Expected an answer.',
  };
  const views: Readonly<Record<string, Partial<StatusView>>> = {
    'starting $(loading~spin) Flashline starting': { connection: 'starting', server: undefined },
    'starting $(loading~spin) Flashline restarting': { connection: 'restarting', server: undefined },
    'error $(error) Flashline stopped': { connection: 'stopped', server: undefined },
    'loading $(loading~spin) Flashline loading 42 %': { server: { state: 'loading', progress: 0.424 } },
    'loading $(loading~spin) Flashline loading 0 %': { server: { state: 'loading' } },
    'error $(error) Flashline has a problem': { pause: DISABLED, server: { state: 'error', message: 'x' } },
    'ready $(zap) Flashline': { lastRow: sampleRow({ rounds: [] }) },
    'ready $(zap) Flashline 48 tok/s': { lastRow: fast },
    'generating $(sync~spin) Flashline 48 tok/s': {
      server: { ...READY, state: 'generating' },
      lastRow: fast,
    },
    'asleep $(circle-outline) Flashline': { server: asleep, lastRow: fast },
    'fallback $(warning) Flashline': { server: { ...READY, fallback: 'Expected a model.' } },
    'asleep $(cloud-upload) Flashline: gpu:8000': { server: { ...asleep, host: 'gpu:8000' } },
    'connecting $(loading~spin) Flashline: connecting to gpu:8000': {
      server: { state: 'connecting', host: 'gpu:8000' },
    },
    'ready $(cloud-upload) Flashline: gpu:8000': { server: REMOTE },
    'generating $(sync~spin) Flashline 50 tok/s at gpu:8000': {
      server: { ...REMOTE, state: 'generating' },
      lastRow: remoteRow,
    },
    'unreachable $(debug-disconnect) Flashline: cannot reach gpu:8000': {
      server: unreachable,
      lastRow: fast,
    },
    'asleep $(circle-outline) Flashline: llama.cpp (local)': { server: { ...asleep, host: LLAMA_CPP } },
    'connecting $(loading~spin) Flashline: starting llama.cpp (local)': {
      server: { state: 'connecting', host: LLAMA_CPP },
    },
    'ready $(zap) Flashline 50 tok/s at llama.cpp (local)': {
      server: { ...REMOTE, model: { ...(REMOTE.model ?? assert.fail()), remote: { host: LLAMA_CPP } } },
      lastRow: remoteRow,
    },
    'ready $(zap) Flashline 48 tok/s $(cloud-download) 43 %': { download: DOWNLOAD, lastRow: fast },
    'paused $(circle-slash) Flashline paused': { pause: { reason: 'language', text: 'Off.' }, lastRow: fast },
    'paused $(bell-slash) Flashline snoozed': { pause: { reason: 'snoozed', text: 'Snoozed.' } },
    'paused $(circle-slash) Flashline off': { pause: DISABLED, server: { state: 'loading' } },
  };
  for (const [shows, view] of Object.entries(views))
    it(`shows ${shows}`, () => {
      const shown = show(view);
      assert.equal(`${shown.state} ${shown.text}`, shows);
      assert.ok(shown.label.startsWith('Flashline: '));
      assert.ok(shown.label.includes(shown.reason));
    });

  it('shows no speed of a request that was too short for one', () => {
    const { text, label, tooltip } = show({ lastRow: sampleRow({ rounds: [[3, 0]], decodeMs: 1 }) });
    assert.equal(text, '$(zap) Flashline');
    assert.doesNotMatch(label + tooltip, /tok\/s|per second/);
  });

  it('says that the battery is why there are no suggestions, unless one was requested', () => {
    const { state, reason } = show({ server: { ...READY, paused: 'battery' } });
    assert.deepEqual([state, reason], ['paused', reasonTexts('').battery]);
    assert.equal(show({ server: { state: 'asleep', paused: 'battery' } }).state, 'paused');
    assert.equal(show({ server: { ...READY, state: 'generating', paused: 'battery' } }).state, 'generating');
    assert.equal(show({ server: { state: 'loading', paused: 'battery' } }).state, 'loading');
  });

  it('says the reason of an error and of a pause', () => {
    assert.ok(
      show({ server: { state: 'error', message: 'Expected a folder.' } }).label.includes(
        'Expected a folder.',
      ),
    );
    const { label, tooltip } = show({ pause: DISABLED });
    assert.ok(label.includes(DISABLED.text) && tooltip.includes(DISABLED.text));
    const snoozed = (until: number): string => reasonTexts('', until).snoozed;
    assert.ok(snoozed(Infinity).includes('until VS Code restarts'));
    assert.ok(snoozed(new Date(2026, 1, 3, 9, 5).getTime()).includes('09:05'));
  });

  it('says why a model sleeps, and when it loads', () => {
    const reasons = (['unused', 'idle', 'memory'] as const).map(
      (asleepBecause) => show({ server: { state: 'asleep', asleepBecause } }).reason,
    );
    assert.equal(new Set(reasons).size, 3);
    for (const reason of reasons) assert.match(reason, /with your (first|next) key\.$/);
    const chosen = { target: '', drafter: '' };
    const builtIn = show({ server: { state: 'asleep', asleepBecause: 'unused', chosen } });
    assert.equal(builtIn.reason, 'The model loads with your first key (about 1 s).');
  });

  it('has a tooltip of six lines: state, model, why, accepted, time and a link', () => {
    const acceptance = { ...NO_ACCEPTANCE, offered: 7, accepted: 3, acceptedParts: 2 };
    const model = { ...MODEL, target: 'embedded', drafter: 'embedded' };
    const { tooltip } = show({ server: { ...READY, model }, lastRow: fast, acceptance, suggestionMs: 141.6 });
    assert.deepEqual(tooltip.split('  \n'), [
      '**Flashline:** ready',
      '**Model:** built\\-in, on the CPU',
      '**Here:** Suggestions appear as you type.',
      '**Accepted:** 3 of 7 suggestions, and 2 words or lines of others',
      '**Time to suggestion:** 142 ms · 48 tok/s · 2.5 tokens per pass',
      '[Show Statistics](command:flashline.showStatistics)',
    ]);
  });

  const six: readonly (readonly [name: string, change: Partial<StatusView>, says: RegExp])[] = [
    [
      'nothing yet',
      { server: undefined },
      /Model:\*\* not loaded[^]*no suggestion so far[^]*not measured yet/,
    ],
    ['a drafter', {}, /Model:\*\* qwen3\\-tiny, drafter dflash\\-tiny, on the CPU/],
    [
      'no drafter',
      { server: { ...READY, model: { target: 'a', device: 'cpu', infill: 'fim', maxDraftTokens: 0 } } },
      /without a drafter/,
    ],
    [
      'a drafter that does not fit',
      { server: { ...READY, model: { ...MODEL, drafterProblem: 'Expected 64;\nchoose *another*' } } },
      /Expected 64; choose \\\*another\\\*/,
    ],
    ['a fall back', { server: { ...READY, fallback: 'Expected *a* model.' } }, /Expected \\\*a\\\* model\./],
    [
      'a download',
      { download: DOWNLOAD },
      /Downloading Qwen3 4B: 43 %, 1\.2 GB of 2\.8 GB, 12 MB\/s, 60 s left/,
    ],
    [
      'where text goes',
      { server: REMOTE },
      /qwen3\\-coder at gpu:8000, which receives parts of your open files/,
    ],
    ['a pause', { pause: DISABLED }, /Flashline:\*\* paused[^]*Here:\*\* Off everywhere/],
    ['slow suggestions', { suggestionMs: 2140 }, /2140 ms/],
    [
      'a request of this file that came to nothing',
      { lastRow: sampleRow({ file: 'a.ts', outcome: 'filtered' }), file: 'a.ts' },
      /Here:\*\* Last request: filtered out/,
    ],
  ];
  for (const [name, change, says] of six)
    it(`has six lines with ${name}`, () => {
      const { tooltip } = show(change);
      assert.match(tooltip, says);
      assert.equal(tooltip.split('\n').length, 6);
    });

  it('says nothing of a request for another file', () => {
    const lastRow = sampleRow({ file: 'a.ts', outcome: 'filtered' });
    assert.ok(!show({ lastRow, file: 'b.ts' }).tooltip.includes('filtered'));
  });

  it('names languages as VS Code shows them', () => {
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

describe('menu', () => {
  const usual = (): Parameters<typeof menu>[0] => {
    const [problem, serving] = [undefined, undefined];
    return { settings: sampleSettings(), languageId: 'go', snoozed: false, problem, serving };
  };
  const commands = (change: Partial<Parameters<typeof menu>[0]>) =>
    menu({ ...usual(), ...change }).map(({ command }) => command.replace('flashline.', ''));

  it('says where the server for other tools is, and stops it', () => {
    const serving = 'http://127.0.0.1:8080';
    const item = menu({ ...usual(), serving }).find(({ description }) => description === serving);
    assert.equal(item?.command, 'flashline.toggleServing');
  });

  it('has the remote engine of the settings, if they name one', () => {
    assert.ok(!commands({}).includes('remoteEngine'));
    const settings = sampleSettings({ 'flashline.remote.url': 'http://gpu:8000' });
    assert.ok(commands({ settings }).includes('remoteEngine'));
  });

  it('ends a snooze, and leaves out what has no effect', () => {
    const [end] = menu({ ...usual(), snoozed: true }).filter(({ command }) => command === 'flashline.snooze');
    assert.deepEqual(end?.arguments, [0]);
    assert.ok(!commands({ languageId: undefined }).includes('toggleLanguage'));
    const disabled = commands({ settings: sampleSettings({ 'flashline.enable': { '*': false } }) });
    assert.ok(!disabled.includes('snooze') && !disabled.includes('toggleLanguage'));
  });

  it('has nothing in focus that would switch something off', () => {
    const harmless = /^flashline\.(showStatistics|pickModel|restart)$/;
    for (const change of [{}, { problem: 'No model.' }, { snoozed: true }])
      assert.match(menu({ ...usual(), ...change })[0]?.command ?? '', harmless);
  });

  it('puts the restart first when something is wrong', () => {
    const items = menu({ ...usual(), problem: 'No model.' });
    assert.equal(items[0]?.command, 'flashline.restart');
    assert.equal(items[0].description, 'No model.');
    assert.equal(items.filter(({ command }) => command === 'flashline.restart').length, 1);
  });
});
