// The status bar entry: keeps what is known, and shows one state at a time, the one that the user can act on first: as
// text, as a tooltip and as a label for screen readers. A click opens the menu.
import * as vscode from 'vscode';
import type { StatusParams, StatsRow } from '../../server/protocol/messages';
import { formatPercent, formatMs, formatRate } from '../../server/rules/numbers';
import { NO_ACCEPTANCE, type AcceptanceCounts } from '../ghostText/acceptance';
import { isStartedHere } from '../../server/rules/remoteAddress';
import type { ConnectionState } from '../connection/client';
import { reasonTexts, type EditorGate, type GateReason } from '../ghostText/gate';
import { percentText, infillText, progressText } from '../models/modelWords';
import { t } from '../translate';
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
      ? t('Flashline: {0}', reason)
      : t('Flashline: {0} Last request: {1} tokens per second.', reason, speed);
  return { state, text, reason, label, tooltip: statusTooltip(view, stateWords(state), reason) };
}

function stateWords(state: State['state']): string {
  return {
    starting: t('starting'),
    loading: t('loading the model'),
    connecting: t('connecting'),
    ready: t('ready'),
    fallback: t('ready'),
    asleep: t('ready'),
    generating: t('working'),
    unreachable: t('no connection'),
    paused: t('paused'),
    error: t('stopped by a problem'),
  }[state];
}

function stateOf(view: StatusView): State {
  const { connection, server, pause } = view;
  if (connection === 'stopped') {
    const reason = t('The server keeps crashing and was not restarted. Restart it from the menu.');
    return { state: 'error', icon: 'error', text: t('Flashline stopped'), reason };
  }
  const [starting, spin] = ['starting', 'loading~spin'] as const;
  if (connection === 'restarting')
    return {
      state: starting,
      icon: spin,
      text: t('Flashline restarting'),
      reason: t('The server is restarting.'),
    };
  if (server?.state === 'error') {
    const reason = server.message ?? t('Something went wrong. See the log for details.');
    return { state: 'error', icon: 'error', text: t('Flashline has a problem'), reason };
  }
  if (pause !== undefined) return pausedState(pause.reason, pause.text);
  if (connection === 'starting' || server === undefined || server.state === 'starting')
    return {
      state: starting,
      icon: spin,
      text: t('Flashline starting'),
      reason: t('The server is starting.'),
    };
  if (server.state === 'loading') {
    const percent = formatPercent(server.progress ?? 0);
    const reason = t('Loading the model: {0}.', percent);
    return { state: 'loading', icon: spin, text: t('Flashline loading {0}', percent), reason };
  }
  if (server.paused !== undefined && (server.state === 'ready' || server.state === 'asleep'))
    return pausedState(server.paused, reasonTexts('')[server.paused]);
  return remoteState(server) ?? readyState(view, server);
}

function pausedState(because: GateReason, reason: string): State {
  const isOff = because === 'disabled' || because === 'editor';
  if (because === 'snoozed')
    return { state: 'paused', icon: 'bell-slash', text: t('Flashline snoozed'), reason };
  return {
    state: 'paused',
    icon: 'circle-slash',
    text: isOff ? t('Flashline off') : t('Flashline paused'),
    reason,
  };
}

function readyState(view: StatusView, server: StatusParams): State {
  if (server.state === 'asleep')
    return { state: 'asleep', icon: 'circle-outline', text: 'Flashline', reason: asleepText(server) };
  const text = speedText(view);
  if (server.state === 'generating')
    return { state: 'generating', icon: 'sync~spin', text, reason: t('Generating.') };
  if (server.fallback !== undefined) {
    const reason = t('The model from your settings is not in use.');
    return { state: 'fallback', icon: 'warning', text, reason };
  }
  const host = server.model?.remote?.host;
  if (host !== undefined && !isStartedHere(host)) {
    const reason = t('Parts of your open files are sent to {0}.', host);
    return { state: 'ready', icon: 'cloud-upload', text, reason };
  }
  const reason =
    view.trigger === 'manual'
      ? t('Suggestions appear only on demand.')
      : t('Suggestions appear as you type.');
  return { state: 'ready', icon: 'zap', text, reason };
}

/** While a remote engine of the settings is not in use, and nothing stands in for it. */
function remoteState({ state, host = '', message }: StatusParams): State | undefined {
  if (state === 'connecting') {
    const [text, reason] = isStartedHere(host)
      ? [t('Flashline: starting {0}', host), t('{0} is starting. The log shows what it does.', host)]
      : [t('Flashline: connecting to {0}', host), t('Connecting to {0}.', host)];
    return { state, icon: 'loading~spin', text, reason };
  }
  if (state === 'unreachable') {
    const reason = t(
      'The remote engine cannot be used. Flashline tries again while you type. {0}',
      message ?? '',
    );
    return { state, icon: 'debug-disconnect', text: t('Flashline: cannot reach {0}', host), reason };
  }
  if (state !== 'asleep' || host === '') return undefined;
  return {
    state,
    icon: isStartedHere(host) ? 'circle-outline' : 'cloud-upload',
    text: `Flashline: ${host}`,
    reason: isStartedHere(host)
      ? t('Your next key starts {0}.', host)
      : t('Your first key connects to {0}.', host),
  };
}

/** The speed of the last request, and the host that it went to if it left this process. */
function speedText({ server, lastRow }: StatusView): string {
  const speed = speedOf(lastRow);
  const host = server?.model?.remote?.host;
  if (speed === undefined) return host === undefined ? 'Flashline' : `Flashline: ${host}`;
  return host === undefined ? t('Flashline {0} tok/s', speed) : t('Flashline {0} tok/s at {1}', speed, host);
}

function asleepText({ asleepBecause = 'unused', chosen }: StatusParams): string {
  const first =
    chosen?.target === ''
      ? t('The model loads with your first key (about 1 s).')
      : t('The model loads with your first key.');
  return {
    idle: t('The model was unloaded because it was idle. It loads again with your next key.'),
    memory: t('The model was unloaded because memory was low. It loads again with your next key.'),
    unused: first,
  }[asleepBecause];
}

// The tooltip of the status bar entry: six lines about the file in front. Markdown, with everything from outside escaped.

/** `state` and `reason` are the state in a few words and in a sentence. */
function statusTooltip(view: StatusView, state: string, reason: string): string {
  const { server, download, acceptance } = view;
  const { offered, accepted, acceptedParts } = acceptance;
  const downloading = download && t('Downloading {0}: {1}', download.name, progressText(download.progress));
  const lines: readonly (readonly [name: string, ...sentences: (string | undefined)[]])[] = [
    ['Flashline:', state, downloading],
    [
      t('Model:'),
      modelText(server),
      infillText(server?.model?.infill),
      server?.fallback,
      server?.model?.drafterProblem,
    ],
    [t('Here:'), outcomeHere(view) ?? reason],
    [
      t('Accepted:'),
      offered === 0
        ? t('no suggestion so far')
        : acceptedParts === 0
          ? t('{0} of {1} suggestions', accepted, offered)
          : t('{0} of {1} suggestions, and {2} words or lines of others', accepted, offered, acceptedParts),
    ],
    [t('Time to suggestion:'), ...timeTexts(view)],
  ];
  const link = `[${t('Show Statistics')}](command:flashline.showStatistics)`;
  // Two spaces end a line.
  return [...lines.map(line), link].join('  \n');
}

function line([name, ...sentences]: readonly (string | undefined)[]): string {
  const said = sentences.filter((each) => each !== undefined && each !== '').join(' · ');
  return `**${markdownText(name ?? '')}** ${markdownText(said)}`;
}

function modelText(server: StatusParams | undefined): string {
  const model = server?.model;
  if (model === undefined) return server?.host ?? t('not loaded');
  const { target, drafter, device, remote } = model;
  if (remote && isStartedHere(remote.host)) return t('{0} in {1}, started by Flashline', target, remote.host);
  if (remote) return t('{0} at {1}, which receives parts of your open files', target, remote.host);
  const processor = device.toUpperCase();
  if (target === 'embedded') return t('built-in, on the {0}', processor);
  if (drafter === undefined) return t('{0} without a drafter, on the {1}', target, processor);
  return t('{0}, drafter {1}, on the {2}', target, drafter, processor);
}

/** What became of the last request, if that was for the file in front. */
function outcomeHere({ server, lastRow, file, pause }: StatusView): string | undefined {
  if (server?.state !== 'ready' || pause !== undefined || lastRow === undefined) return undefined;
  if (lastRow.file !== file || lastRow.outcome === 'shown') return undefined;
  return t('Last request: {0}', outcomeText(lastRow.outcome));
}

/** How long suggestions take, and how fast the last request was. */
function timeTexts({ suggestionMs, lastRow }: StatusView): (string | undefined)[] {
  const { tokensPerRound } = lastRow?.rates ?? {};
  const speed = speedOf(lastRow);
  return [
    suggestionMs === undefined ? t('not measured yet') : formatMs(suggestionMs),
    speed && t('{0} tok/s', speed),
    tokensPerRound ? t('{0} tokens per pass', tokensPerRound.toFixed(1)) : undefined,
  ];
}

/** Tokens per second of a request; undefined when there were too few to measure. */
function speedOf(row: StatsRow | undefined): string | undefined {
  const { decodeTokensPerSecond } = row?.rates ?? {};
  const isMeasured = (row?.stats.emittedTokens ?? 0) > 2 && decodeTokensPerSecond;
  return isMeasured ? formatRate(decodeTokensPerSecond) : undefined;
}

export function outcomeText(outcome: StatsRow['outcome']): string {
  return {
    shown: t('shown'),
    empty: t('nothing to suggest'),
    filtered: t('filtered out'),
    hidden: t('too unlikely to be kept'),
    stop: t('complete'),
    length: t('token limit reached'),
    repetition: t('kept repeating itself'),
    cancelled: t('cancelled'),
    superseded: t('superseded'),
    abandoned: t('ended early'),
  }[outcome];
}

/** Escapes text so that nothing in it is read as Markdown, HTML or an icon. */
function markdownText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+!~<>$&|-]/g, '\\$&');
}
