// The status bar entry: keeps what is known, and shows one state at a time, the one that the user can act on first: as
// text, as a tooltip and as a label for screen readers. A click opens the menu.
import * as vscode from 'vscode';
import type { StatusParams, StatsRow } from '../../server/protocol/messages';
import { formatPercent, formatMs, formatRate } from '../../server/rules/numbers';
import { NO_ACCEPTANCE, type AcceptanceCounts } from '../ghostText/acceptance';
import { isStartedHere } from '../../server/rules/remoteAddress';
import type { ConnectionState } from '../connection/client';
import { reasonTexts, type EditorGate, type GateReason } from '../ghostText/gate';
import { measuredRate } from './measuredRate';
import { percentText, infillText, progressText } from '../models/modelWords';
import type { RunningDownload } from '../models/downloads';

export interface StatusView {
  readonly connection: ConnectionState;
  /** As the server last reported it; undefined before its first report. */
  readonly server?: StatusParams | undefined;
  /** Of a model, in the background. */
  readonly download?: RunningDownload | undefined;
  readonly lastRow?: StatsRow | undefined;
  /** Why nothing is suggested in the active editor. */
  readonly pause?: ReturnType<EditorGate['activeEditor']>;
  readonly trigger: 'automatic' | 'manual';
  /** The name of the file in front, as rows have it. */
  readonly file?: string | undefined;
  readonly acceptance: AcceptanceCounts;
  /** The usual time to a suggestion in milliseconds, once there was one. */
  readonly suggestionMs?: number | undefined;
  /** What next edits wait for; undefined while they are off. */
  readonly nextEdit?: string | undefined;
}

interface State {
  readonly state:
    | 'starting'
    | 'loading'
    | 'connecting'
    | 'ready'
    | 'fallback'
    | 'asleep'
    | 'generating'
    | 'unreachable'
    | 'paused'
    | 'error';
  readonly icon: string;
  /** What stands beside the icon. */
  readonly text: string;
  /** The state in a sentence. */
  readonly reason: string;
}

export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem(
    'flashline.status',
    vscode.StatusBarAlignment.Right,
    100,
  );
  /** Until something is known. */
  #view: StatusView = {
    connection: 'starting',
    trigger: 'automatic',
    acceptance: NO_ACCEPTANCE,
  };

  constructor() {
    this.#item.name = 'Flashline';
    this.#item.command = 'flashline.showMenu';
    this.#show();
    this.#item.show();
  }

  get view(): StatusView {
    return this.#view;
  }

  get rendered() {
    return render(this.#view);
  }

  update(change: Partial<StatusView>): void {
    this.#view = { ...this.#view, ...change };
    this.#show();
  }

  dispose(): void {
    this.#item.dispose();
  }

  #show(): void {
    const { state, text, tooltip, label } = this.rendered;
    this.#item.text = text;
    // A label hides later texts from screen readers, so both always change together.
    this.#item.accessibilityInformation = { label, role: 'button' };
    const markdown = new vscode.MarkdownString(tooltip);
    markdown.isTrusted = { enabledCommands: ['flashline.showStatistics'] };
    this.#item.tooltip = markdown;
    this.#item.backgroundColor =
      state === 'error' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
  }
}

/** The state, with a tooltip in Markdown and a label for screen readers. */
export function render(view: StatusView) {
  const { state, icon, text: own, reason } = stateOf(view);
  const shown = `$(${icon}) ${own}`;
  const text = view.download ? `${shown} $(cloud-download) ${percentText(view.download.progress)}` : shown;
  const speed = speedOf(view.lastRow);
  const label =
    speed === undefined
      ? `Flashline: ${reason}`
      : `Flashline: ${reason} Last request: ${speed} tokens per second.`;
  return { state, text, reason, label, tooltip: statusTooltip(view, stateWords(state), reason) };
}

function stateWords(state: State['state']): string {
  return {
    starting: 'starting',
    loading: 'loading the model',
    connecting: 'connecting',
    ready: 'ready',
    fallback: 'ready',
    asleep: 'ready',
    generating: 'working',
    unreachable: 'no connection',
    paused: 'paused',
    error: 'stopped by a problem',
  }[state];
}

function stateOf(view: StatusView): State {
  const { connection, server, pause } = view;
  if (connection === 'stopped') {
    const reason = 'The server keeps crashing and was not restarted. Restart it from the menu.';
    return { state: 'error', icon: 'error', text: 'Flashline stopped', reason };
  }
  const [starting, spin] = ['starting', 'loading~spin'] as const;
  if (connection === 'restarting')
    return {
      state: starting,
      icon: spin,
      text: 'Flashline restarting',
      reason: 'The server is restarting.',
    };
  if (server?.state === 'error') {
    const reason = server.message ?? 'Something went wrong. See the log for details.';
    return { state: 'error', icon: 'error', text: 'Flashline has a problem', reason };
  }
  if (pause !== undefined && pause.reason !== 'multiCursor') return pausedState(pause.reason, pause.text);
  if (connection === 'starting' || server === undefined || server.state === 'starting')
    return {
      state: starting,
      icon: spin,
      text: 'Flashline starting',
      reason: 'The server is starting.',
    };
  if (server.state === 'loading') {
    const percent = formatPercent(server.progress ?? 0);
    const reason = `Loading the model: ${percent}.`;
    return { state: 'loading', icon: spin, text: `Flashline loading ${percent}`, reason };
  }
  if (server.paused !== undefined && (server.state === 'ready' || server.state === 'asleep'))
    return pausedState(server.paused, reasonTexts('')[server.paused]);
  return remoteState(server) ?? readyState(view, server);
}

function pausedState(because: GateReason, reason: string): State {
  const isOff = because === 'disabled' || because === 'editor';
  if (because === 'snoozed')
    return { state: 'paused', icon: 'bell-slash', text: 'Flashline snoozed', reason };
  return {
    state: 'paused',
    icon: 'circle-slash',
    text: isOff ? 'Flashline off' : 'Flashline paused',
    reason,
  };
}

function readyState(view: StatusView, server: StatusParams): State {
  if (server.state === 'asleep')
    return { state: 'asleep', icon: 'circle-outline', text: 'Flashline', reason: asleepText(server) };
  const text = speedText(view);
  if (server.state === 'generating')
    return { state: 'generating', icon: 'sync~spin', text, reason: 'Generating.' };
  if (server.fallback !== undefined) {
    const reason = 'The model from your settings is not in use.';
    return { state: 'fallback', icon: 'warning', text, reason };
  }
  const host = server.model?.remote?.host;
  if (host !== undefined && !isStartedHere(host)) {
    const reason = `Parts of your open files are sent to ${host}.`;
    return { state: 'ready', icon: 'cloud-upload', text, reason };
  }
  const usual =
    view.trigger === 'manual' ? 'Suggestions appear only on demand.' : 'Suggestions appear as you type.';
  // Cursors come and go: the reason changes with them, the entry does not.
  return { state: 'ready', icon: 'zap', text, reason: view.pause?.text ?? usual };
}

/** While a remote engine of the settings is not in use, and nothing stands in for it. */
function remoteState({ state, host = '', message }: StatusParams): State | undefined {
  if (state === 'connecting') {
    const [text, reason] = isStartedHere(host)
      ? [`Flashline: starting ${host}`, `${host} is starting. The log shows what it does.`]
      : [`Flashline: connecting to ${host}`, `Connecting to ${host}.`];
    return { state, icon: 'loading~spin', text, reason };
  }
  if (state === 'unreachable') {
    const reason = `The remote engine cannot be used. Flashline tries again while you type. ${message ?? ''}`;
    return { state, icon: 'debug-disconnect', text: `Flashline: cannot reach ${host}`, reason };
  }
  if (state !== 'asleep' || host === '') return undefined;
  return {
    state,
    icon: isStartedHere(host) ? 'circle-outline' : 'cloud-upload',
    text: `Flashline: ${host}`,
    reason: isStartedHere(host) ? `Your next key starts ${host}.` : `Your first key connects to ${host}.`,
  };
}

/** The speed of the last request, and the host that it went to if it left this process. */
function speedText({ server, lastRow }: StatusView): string {
  const speed = speedOf(lastRow);
  const host = server?.model?.remote?.host;
  if (speed === undefined) return host === undefined ? 'Flashline' : `Flashline: ${host}`;
  return host === undefined ? `Flashline ${speed} tok/s` : `Flashline ${speed} tok/s at ${host}`;
}

function asleepText({ asleepBecause = 'unused', chosen }: StatusParams): string {
  const first =
    chosen?.target === ''
      ? 'The model loads with your first key (about 1 s).'
      : 'The model loads with your first key.';
  return {
    idle: 'The model was unloaded because it was idle. It loads again with your next key.',
    memory: 'The model was unloaded because memory was low. It loads again with your next key.',
    unused: first,
  }[asleepBecause];
}

// The tooltip of the status bar entry: six lines about the file in front. Markdown, with everything from outside escaped.

/** `state` and `reason` are the state in a few words and in a sentence. */
function statusTooltip(view: StatusView, state: string, reason: string): string {
  const { server, download, acceptance } = view;
  const { offered, accepted, acceptedParts } = acceptance;
  const downloading = download && `Downloading ${download.name}: ${progressText(download.progress)}`;
  const lines: readonly (readonly [name: string, ...sentences: (string | undefined)[]])[] = [
    ['Flashline:', state, downloading],
    [
      'Model:',
      modelText(server),
      infillText(server?.model?.infill),
      server?.fallback,
      server?.model?.drafterProblem,
    ],
    ['Here:', pauseHere(view) ?? outcomeHere(view) ?? reason],
    ...(view.nextEdit === undefined
      ? []
      : [['Next edit:', server?.nextEdit?.message ?? view.nextEdit] as const]),
    [
      'Accepted:',
      offered === 0
        ? 'no suggestion so far'
        : acceptedParts === 0
          ? `${accepted} of ${offered} suggestions`
          : `${accepted} of ${offered} suggestions, and ${acceptedParts} words or lines of others`,
    ],
    ['Time to suggestion:', ...timeTexts(view)],
  ];
  const link = '[Show Statistics](command:flashline.showStatistics)';
  // Two spaces end a line.
  return [...lines.map(line), link].join('  \n');
}

function line([name, ...sentences]: readonly (string | undefined)[]): string {
  const said = sentences.filter((each) => each !== undefined && each !== '').join(' · ');
  return `**${markdownText(name ?? '')}** ${markdownText(said)}`;
}

function modelText(server: StatusParams | undefined): string {
  const model = server?.model;
  if (model === undefined) return server?.host ?? 'not loaded';
  const { target, drafter, device, remote } = model;
  if (remote && isStartedHere(remote.host)) return `${target} in ${remote.host}, started by Flashline`;
  if (remote) return `${target} at ${remote.host}, which receives parts of your open files`;
  const processor = device.toUpperCase();
  if (target === 'embedded') return `built-in, on the ${processor}`;
  if (drafter === undefined) return `${target} without a drafter, on the ${processor}`;
  return `${target}, drafter ${drafter}, on the ${processor}`;
}

/** The reason of a pause that the entry itself does not show, while the server could suggest something. */
function pauseHere({ connection, server, pause }: StatusView): string | undefined {
  const isReady = connection === 'running' && (server?.state === 'ready' || server?.state === 'asleep');
  return isReady && pause?.reason === 'multiCursor' ? pause.text : undefined;
}

/** What became of the last request, if that was for the file in front. */
function outcomeHere({ server, lastRow, file, pause }: StatusView): string | undefined {
  if (server?.state !== 'ready' || pause !== undefined || lastRow === undefined) return undefined;
  if (lastRow.file !== file || lastRow.outcome === 'shown') return undefined;
  return `Last request: ${outcomeText(lastRow.outcome)}`;
}

/** How long suggestions take, and how fast the last request was. */
function timeTexts({ suggestionMs, lastRow }: StatusView): (string | undefined)[] {
  const { tokensPerRound } = lastRow?.rates ?? {};
  const speed = speedOf(lastRow);
  return [
    suggestionMs === undefined ? 'not measured yet' : formatMs(suggestionMs),
    speed && `${speed} tok/s`,
    tokensPerRound ? `${tokensPerRound.toFixed(1)} tokens per pass` : undefined,
  ];
}

/** Tokens per second of a request; undefined when there were too few to measure. */
function speedOf(row: StatsRow | undefined): string | undefined {
  const rate = row && measuredRate(row);
  return rate ? formatRate(rate) : undefined;
}

export function outcomeText(outcome: StatsRow['outcome']): string {
  return {
    shown: 'shown',
    empty: 'nothing to suggest',
    filtered: 'filtered out',
    hidden: 'too unlikely to be kept',
    stop: 'complete',
    length: 'token limit reached',
    repetition: 'kept repeating itself',
    cancelled: 'cancelled',
    superseded: 'superseded',
    abandoned: 'ended early',
  }[outcome];
}

/** Escapes text so that nothing in it is read as Markdown, HTML or an icon. */
function markdownText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+!~<>$&|-]/g, '\\$&');
}
