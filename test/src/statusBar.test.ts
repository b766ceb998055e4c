// The status bar entry in each state: its icon and words, its tooltip, and what a screen reader says.
import assert from 'node:assert/strict';
import type { StatsRow, StatusParams } from '../../server/protocol';
import { NO_ACCEPTANCE } from '../../src/acceptance';
import { reasonTexts } from '../../src/gate';
import { menu } from '../../src/menu';
import { render, type StatusView } from '../../src/statusBar';
import { hasFaster, statsLines } from '../../src/statusTooltip';
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
    remote: { host: 'gpu:8000', totals: { draftedTokens: 40, acceptedTokens: 25, tokensPerRound: null } },
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
  const states: readonly (readonly [
    name: string,
    change: Partial<StatusView>,
    state: string,
    text: string,
  ])[] = [
    ['no word of the server yet', { server: undefined }, 'starting', '$(loading~spin) Flashline: starting'],
    [
      'a connection that begins',
      { connection: 'starting', server: undefined },
      'starting',
      '$(loading~spin) Flashline: starting',
    ],
    [
      'a crash',
      { connection: 'restarting', server: undefined },
      'starting',
      '$(loading~spin) Flashline: restarting',
    ],
    [
      'too many crashes',
      { connection: 'stopped', server: undefined },
      'error',
      '$(error) Flashline: stopped',
    ],
    [
      'loading',
      { server: { state: 'loading', progress: 0.424 } },
      'loading',
      '$(loading~spin) Flashline: loading 42 %',
    ],
    [
      'loading without a number',
      { server: { state: 'loading' } },
      'loading',
      '$(loading~spin) Flashline: loading 0 %',
    ],
    ['an error', { server: { state: 'error', message: 'No model.' } }, 'error', '$(error) Flashline: error'],
    ['ready', {}, 'ready', '$(zap) Flashline'],
    ['a request', { lastRow: fast }, 'ready', '$(zap) 48 tok/s x2.5'],
    ['a request without rounds', { lastRow: sampleRow({ rounds: [] }) }, 'ready', '$(zap) Flashline'],
    [
      'generating',
      { server: { ...READY, state: 'generating' }, lastRow: fast },
      'generating',
      '$(sync~spin) 48 tok/s x2.5',
    ],
    [
      'a model that sleeps',
      { server: { state: 'asleep', asleepBecause: 'idle' }, lastRow: fast },
      'asleep',
      '$(circle-outline) Flashline',
    ],
    [
      'a fall back',
      { server: { ...READY, fallback: 'Expected a model.' } },
      'fallback',
      '$(warning) Flashline',
    ],
    [
      'a remote engine before its first request',
      { server: { state: 'asleep', asleepBecause: 'unused', host: 'gpu:8000' } },
      'asleep',
      '$(cloud-upload) Flashline: gpu:8000',
    ],
    [
      'a remote engine that is asked for its models',
      { server: { state: 'connecting', host: 'gpu:8000' } },
      'connecting',
      '$(loading~spin) Flashline: connecting to gpu:8000',
    ],
    ['where text goes', { server: REMOTE }, 'ready', '$(cloud-upload) Flashline: gpu:8000'],
    [
      'where text goes, and how fast it comes back',
      { server: { ...REMOTE, state: 'generating' }, lastRow: remoteRow },
      'generating',
      '$(sync~spin) gpu:8000: 50 tok/s',
    ],
    [
      'a remote engine that cannot be used',
      { server: { state: 'unreachable', host: 'gpu:8000', message: 'Expected an answer.' }, lastRow: fast },
      'unreachable',
      '$(debug-disconnect) Flashline: no gpu:8000',
    ],
    [
      'a download beside',
      { download: DOWNLOAD, lastRow: fast },
      'ready',
      '$(zap) 48 tok/s x2.5 $(cloud-download) 43 %',
    ],
    [
      'a pause',
      { pause: { reason: 'language', text: 'Off.' }, lastRow: fast },
      'paused',
      '$(circle-slash) Flashline',
    ],
    ['a snooze', { pause: { reason: 'snoozed', text: 'Snoozed.' } }, 'paused', '$(bell-slash) Flashline'],
    [
      'a pause while the model loads',
      { pause: DISABLED, server: { state: 'loading' } },
      'paused',
      '$(circle-slash) Flashline',
    ],
    [
      'an error during a pause',
      { pause: DISABLED, server: { state: 'error', message: 'x' } },
      'error',
      '$(error) Flashline: error',
    ],
  ];
  for (const [name, change, state, text] of states)
    it(`shows ${name}`, () => {
      const shown = show(change);
      assert.equal(shown.state, state);
      assert.equal(shown.text, text);
      assert.ok(shown.label.startsWith('Flashline: '));
      assert.ok(shown.label.includes(shown.reason));
    });

  it('says that the battery is why there are no suggestions, unless one was requested', () => {
    const { state, reason } = show({ server: { ...READY, paused: 'battery' } });
    assert.deepEqual([state, reason], ['paused', reasonTexts('').battery]);
    assert.equal(show({ server: { state: 'asleep', paused: 'battery' } }).state, 'paused');
    assert.equal(show({ server: { ...READY, state: 'generating', paused: 'battery' } }).state, 'generating');
    assert.equal(show({ server: { state: 'loading', paused: 'battery' } }).state, 'loading');
  });

  it('says that text leaves the machine, and what is not known', () => {
    const { tooltip, reason } = show({ server: REMOTE, lastRow: remoteRow });
    assert.ok(reason.includes('sent to gpu:8000'));
    assert.match(tooltip, /Text leaves this machine:/);
    assert.match(tooltip, /25 of 40 draft tokens accepted, unknown tokens per round/);
    const lines = new Map(statsLines(remoteRow));
    assert.equal(lines.get('Decode speed'), '50 tokens/s');
    for (const name of ['Tokens per round', 'Rounds (target passes)', 'Draft tokens accepted', 'Peak memory'])
      assert.equal(lines.get(name), 'unknown', name);
    const asleep = show({ server: { state: 'asleep', asleepBecause: 'unused', host: 'gpu:8000' } });
    assert.match(asleep.tooltip, /Text leaves this machine:/);
    assert.ok(!show({}).tooltip.includes('leaves this machine'));
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

  it('says why a model sleeps, how it is prompted, what is downloaded, and why another one is used', () => {
    const reasons = (['unused', 'idle', 'memory'] as const).map(
      (asleepBecause) => show({ server: { state: 'asleep', asleepBecause } }).reason,
    );
    assert.equal(new Set(reasons).size, 3);
    for (const reason of reasons) assert.match(reason, /The next key press loads it( again)?\.$/);
    assert.match(show({}).tooltip, /fill\\-in\\-the\\-middle/);
    assert.match(
      show({ server: { ...READY, model: { ...MODEL, infill: 'chat' } } }).tooltip,
      /Prompt format: chat/,
    );
    const { tooltip } = show({ download: DOWNLOAD, server: { ...READY, fallback: 'Expected *a* model.' } });
    assert.ok(tooltip.includes('Warning: the model from your settings is not in use.'));
    assert.ok(tooltip.includes('Expected \\*a\\* model.'));
    assert.match(tooltip, /Downloading Qwen3 4B: 43 %, 1.2 GB of 2.8 GB, 12 MB\/s, 60 s left/);
  });

  it('tells screen readers the last request', () => {
    assert.equal(
      show({ lastRow: fast }).label,
      'Flashline: Ready. Last request: 48 tokens per second while decoding, 2.5 tokens per pass of the target model.',
    );
  });

  it('explains both parts of its text in the tooltip, once there is a request', () => {
    const { tooltip } = show({ lastRow: fast });
    assert.match(tooltip, /\*\*48 tok\/s:\*\* tokens per second while decoding the last request\./);
    assert.match(tooltip, /\*\*x2\.5:\*\* tokens per pass of the target model; 1\.0 without drafting\./);
    assert.doesNotMatch(show({}).tooltip, /tok\/s/);
  });

  it('calls the pair that ships with the extension built-in', () => {
    const model = { ...MODEL, target: 'embedded', drafter: 'embedded' };
    assert.ok(
      show({ server: { ...READY, model } }).tooltip.includes(
        'Target: built\\-in, drafter: built\\-in, on CPU',
      ),
    );
  });

  it('lists all statistics of the last request in the tooltip, with nothing taken for Markdown', () => {
    const row = sampleRow({ file: '$(zap)|<b>_a_.ts' });
    const { tooltip } = show({ lastRow: row });
    for (const [name] of statsLines(row)) assert.ok(tooltip.includes(name.replace(/[()-]/g, '\\$&')), name);
    assert.ok(tooltip.includes('\\$\\(zap\\)\\|\\<b\\>\\_a\\_.ts'));
    assert.ok(tooltip.includes('qwen3\\-tiny'));
    assert.ok(tooltip.includes('| Accepted from dflash | 4 of 6 \\(rounds: 2\\) |'));
    assert.ok(tooltip.includes('| Prompt tokens reused | 16 of 64 |'));
  });

  it('says how long suggestions take where that is too long, and what helps', () => {
    const slow = (server: StatusParams): string => show({ server, slowMs: 2140 }).tooltip;
    assert.match(slow(READY), /\*\*Suggestions take 2\.1 s here\.\*\* A smaller model/);
    assert.match(
      slow({ ...READY, model: { ...MODEL, target: 'embedded' } }),
      /here\.\*\* No model is smaller/,
    );
    assert.match(slow(REMOTE), /here\.\*\* The remote engine/);
    assert.ok(!show({}).tooltip.includes('Suggestions take'));
    const models = [MODEL, { ...MODEL, target: 'embedded' }, REMOTE.model, undefined];
    assert.deepEqual(models.map(hasFaster), [true, false, false, false]);
  });

  it('says in the tooltip why a drafter is not used', () => {
    const drafterProblem = 'Expected hidden_size 64, got 512; choose another *drafter*';
    const model = { target: 'a', device: 'cpu', infill: 'fim', maxDraftTokens: 0, drafterProblem } as const;
    const { tooltip, state } = show({ server: { ...READY, model } });
    assert.equal(state, 'ready');
    assert.ok(tooltip.includes('without a drafter'));
    assert.ok(tooltip.includes('hidden\\_size 64, got 512; choose another \\*drafter\\*'), tooltip);
    assert.ok(!show({}).tooltip.includes('The drafter is not in use'));
  });

  it('shows the seed of a text that was drawn, and why there were no drafts', () => {
    const { stats, ...row } = fast;
    const lines = (change: Partial<typeof stats>) => statsLines({ ...row, stats: { ...stats, ...change } });
    const named = (change: Partial<typeof stats>, name: string) =>
      lines(change).find((line) => line[0] === name)?.[1];
    assert.equal(named({ seed: 0 }, 'Seed'), 0);
    assert.equal(named({}, 'Seed'), undefined);
    const reasons = [
      'no_drafter',
      'drafter_mismatch',
      'draft_length_zero',
      'logprobs_requested',
      'context_limit',
    ] as const;
    const words = reasons.map((speculationOff) => named({ speculationOff }, 'Why there were no drafts'));
    assert.equal(new Set(words).size, reasons.length);
    assert.ok(!words.includes(undefined));
  });

  it('adds the acceptance counts once there are any', () => {
    assert.ok(!show({}).tooltip.includes('offered'));
    const acceptance = { ...NO_ACCEPTANCE, offered: 7, accepted: 3, reviewed: 2, kept: 1 };
    assert.ok(
      show({ acceptance }).tooltip.includes(
        '7 offered, 3 accepted, 0 words or lines accepted; 1 of 2 still there',
      ),
    );
  });

  it('has words for each reason', () => {
    const reasons = [
      'disabled',
      'editor',
      'snoozed',
      'untrusted',
      'input',
      'readOnly',
      'secret',
      'excluded',
      'tooLarge',
      'binary',
      'minified',
      'language',
      'manual',
      'multiCursor',
      'battery',
    ] as const;
    const words = reasons.map((reason) => reasonTexts('go')[reason]);
    assert.equal(new Set(words).size, reasons.length);
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
    assert.equal(item?.command, 'flashline.stopServing');
  });

  it('offers everything the status bar promises', () => {
    assert.deepEqual(commands({}), [
      'toggle',
      'toggleLanguage',
      'snooze',
      'snooze',
      'generate',
      'showStatistics',
      'pickModel',
      'startServing',
      'restart',
      'showLog',
      'openSettings',
      'openDocumentation',
    ]);
  });

  it('begins and ends the use of a remote engine', () => {
    const awaitsConsent = 'gpu:8000';
    assert.ok(commands({ remote: { awaitsConsent, isInUse: false } }).includes('useRemote'));
    assert.ok(commands({ remote: { awaitsConsent: undefined, isInUse: true } }).includes('stopRemote'));
    const neither = commands({ remote: { awaitsConsent: undefined, isInUse: false } });
    assert.ok(!neither.includes('useRemote') && !neither.includes('stopRemote'));
  });

  it('ends a snooze, and leaves out what has no effect', () => {
    assert.ok(commands({ snoozed: true }).includes('endSnooze'));
    assert.ok(!commands({ languageId: undefined }).includes('toggleLanguage'));
    const disabled = commands({ settings: sampleSettings({ 'flashline.enable': { '*': false } }) });
    assert.ok(!disabled.includes('snooze') && !disabled.includes('toggleLanguage'));
  });

  it('offers a faster model first where suggestions are slow', () => {
    const [item] = menu({ ...usual(), slowMs: 2140 });
    assert.equal(item?.command, 'flashline.pickModel');
    assert.equal(item.description, 'suggestions take 2.1 s');
  });

  it('puts the restart first when something is wrong', () => {
    const items = menu({ ...usual(), problem: 'No model.' });
    assert.equal(items[0]?.command, 'flashline.restart');
    assert.equal(items[0].description, 'No model.');
    assert.equal(items.filter(({ command }) => command === 'flashline.restart').length, 1);
  });
});
