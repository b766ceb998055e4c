// The status bar entry: keeps what is known, and shows one state at a time, the one that the user can act on first: as
// text, as a tooltip and as a label for screen readers. A click opens the menu.
import * as vscode from 'vscode';
import type { StatusParams } from '../server/protocol';
import { formatPercent } from '../server/rules/format';
import { NO_ACCEPTANCE } from './acceptance';
import type { ConnectionState } from './client';
import { reasonTexts, type EditorGate } from './gate';
import { percentText } from './models/modelWords';
import { readoutOf, statusTooltip, type TooltipView } from './statusTooltip';
import { t } from './translate';

export interface StatusView extends TooltipView {
  readonly connection: ConnectionState;
  /** Why nothing is suggested in the active editor. */
  readonly pause?: ReturnType<EditorGate['activeEditor']>;
  readonly trigger: 'automatic' | 'manual';
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
    this.#item.tooltip = new vscode.MarkdownString(tooltip);
    this.#item.backgroundColor =
      state === 'error' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
  }
}

/** The state, with a tooltip in Markdown and a label for screen readers. */
export function render(view: StatusView) {
  const { state, text: own, reason } = stateOf(view);
  const text = view.download ? `${own} $(cloud-download) ${percentText(view.download.progress)}` : own;
  const readout = readoutOf(view.lastRow);
  const label =
    readout === undefined
      ? t('Flashline: {0}', reason)
      : t(
          'Flashline: {0} Last request: {1} tokens per second while decoding, {2} tokens per pass of the target model.',
          ...[reason, readout[0], readout[1] ?? t('unknown')],
        );
  return { state, text, reason, label, tooltip: statusTooltip(view, reason) };
}

function stateOf(view: StatusView): State {
  const { connection, server, pause } = view;
  if (connection === 'stopped')
    return {
      state: 'error',
      text: `$(error) ${t('Flashline: stopped')}`,
      reason: t('The server keeps crashing and was not restarted. Restart it from the menu.'),
    };
  if (connection === 'restarting')
    return {
      state: 'starting',
      text: `$(loading~spin) ${t('Flashline: restarting')}`,
      reason: t('The server is restarting.'),
    };
  if (server?.state === 'error')
    return {
      state: 'error',
      text: `$(error) ${t('Flashline: error')}`,
      reason: server.message ?? t('Something went wrong. See the log for details.'),
    };
  if (pause !== undefined)
    return {
      state: 'paused',
      text: pause.reason === 'snoozed' ? '$(bell-slash) Flashline' : '$(circle-slash) Flashline',
      reason: pause.text,
    };
  if (connection === 'starting' || server === undefined || server.state === 'starting')
    return {
      state: 'starting',
      text: `$(loading~spin) ${t('Flashline: starting')}`,
      reason: t('The server is starting.'),
    };
  if (server.state === 'loading') {
    const percent = formatPercent(server.progress ?? 0);
    return {
      state: 'loading',
      text: `$(loading~spin) ${t('Flashline: loading {0}', percent)}`,
      reason: t('Loading the model: {0}.', percent),
    };
  }
  if (server.paused !== undefined && (server.state === 'ready' || server.state === 'asleep'))
    return { state: 'paused', text: '$(circle-slash) Flashline', reason: reasonTexts('')[server.paused] };
  const waiting = remoteState(server);
  if (waiting !== undefined) return waiting;
  if (server.state === 'asleep')
    return { state: 'asleep', text: '$(circle-outline) Flashline', reason: asleepText(server.asleepBecause) };
  const words = readoutWords(view);
  if (server.state === 'generating')
    return { state: 'generating', text: `$(sync~spin) ${words}`, reason: t('Generating.') };
  if (server.fallback !== undefined)
    return {
      state: 'fallback',
      text: `$(warning) ${words}`,
      reason: t('Ready, but not with the model from your settings.'),
    };
  const host = server.model?.remote?.host;
  if (host !== undefined)
    return {
      state: 'ready',
      text: `$(cloud-upload) ${words}`,
      reason: t('Ready. Parts of your open files are sent to {0}.', host),
    };
  return {
    state: 'ready',
    text: `$(zap) ${words}`,
    reason: view.trigger === 'manual' ? t('Ready. Suggestions appear only on demand.') : t('Ready.'),
  };
}

/** While a remote engine of the settings is not in use, and nothing stands in for it. */
function remoteState({ state, host = '', message }: StatusParams): State | undefined {
  if (state === 'connecting')
    return {
      state,
      text: `$(loading~spin) ${t('Flashline: connecting to {0}', host)}`,
      reason: t('Connecting to {0}.', host),
    };
  if (state === 'unreachable')
    return {
      state,
      text: `$(debug-disconnect) ${t('Flashline: no {0}', host)}`,
      reason: t('The remote engine cannot be used, and is tried again while you type. {0}', message ?? ''),
    };
  if (state === 'asleep' && host !== '')
    return {
      state,
      text: `$(cloud-upload) Flashline: ${host}`,
      reason: t('The next key press connects to {0}.', host),
    };
  return undefined;
}

/** The speed of the last request, and the host that it went to if it left the machine. */
function readoutWords({ server, lastRow }: StatusView): string {
  const [speed, perRound] = readoutOf(lastRow) ?? [];
  const host = server?.model?.remote?.host;
  if (host !== undefined)
    return speed === undefined ? `Flashline: ${host}` : t('{0}: {1} tok/s', host, speed);
  return speed === undefined ? 'Flashline' : t('{0} tok/s x{1}', speed, perRound ?? '?');
}

function asleepText(because: StatusParams['asleepBecause'] = 'unused'): string {
  return {
    idle: t('The model was unloaded because it was idle. The next key press loads it again.'),
    memory: t('The model was unloaded because memory was low. The next key press loads it again.'),
    unused: t('No model is loaded yet. The next key press loads it.'),
  }[because];
}
