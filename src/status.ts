// The status bar entry as a pure function of what is known: text, tooltip, and words for a screen reader.
// One state at a time, the one that the person can do something about first.
import type { StatsRow, StatusParams } from '../server/protocol';
import type { AcceptanceCounts } from './acceptance';
import type { ConnectionState } from './client';
import { percentText } from './models/progressText';
import type { RunningDownload } from './models/downloads';
import { formatPercent, formatRate } from '../server/rules/format';
import type { GateReason } from './gate';
import { reasonText } from './reasonText';
import { statusTooltip } from './statusTooltip';
import type { Translate } from './translate';

export interface StatusView {
  readonly connection: ConnectionState;
  /** The server's own word; undefined before its first. */
  readonly server: StatusParams | undefined;
  /** Of a model, while other work goes on. */
  readonly download: RunningDownload | undefined;
  /** Why nothing is suggested in the active editor. */
  readonly pause: GateReason | undefined;
  readonly languageId: string;
  readonly trigger: 'automatic' | 'manual';
  /** Milliseconds since 1970; Infinity until restart. */
  readonly snoozedUntil: number | undefined;
  readonly lastRow: StatsRow | undefined;
  readonly acceptance: AcceptanceCounts;
}

export interface RenderedStatus {
  readonly state:
    'starting' | 'loading' | 'ready' | 'fallback' | 'asleep' | 'generating' | 'paused' | 'error';
  readonly text: string;
  /** The state in a sentence. */
  readonly reason: string;
  /** Markdown. */
  readonly tooltip: string;
  /** For screen readers. */
  readonly label: string;
}

type State = Omit<RenderedStatus, 'tooltip' | 'label'>;

export function render(view: StatusView, t: Translate): RenderedStatus {
  const { state, text: own, reason } = stateOf(view, t);
  const text = view.download ? `${own} $(cloud-download) ${percentText(view.download.progress)}` : own;
  const readout = readoutOf(view.lastRow);
  const label =
    readout === undefined
      ? t('Flashline: {0}', reason)
      : t(
          'Flashline: {0} Last request: {1} tokens per second, {2} tokens per round.',
          reason,
          readout.speed,
          readout.perRound,
        );
  return { state, text, reason, label, tooltip: statusTooltip(view, reason, t) };
}

/** The last request in two numbers; undefined when it had no round to measure. */
function readoutOf(row: StatsRow | undefined): { speed: string; perRound: string } | undefined {
  if (row === undefined || row.rates.decodeTokensPerSecond <= 0) return undefined;
  return {
    speed: formatRate(row.rates.decodeTokensPerSecond),
    perRound: row.rates.tokensPerRound.toFixed(1),
  };
}

function stateOf(view: StatusView, t: Translate): State {
  const { connection, server, pause, lastRow } = view;
  if (connection === 'stopped')
    return {
      state: 'error',
      text: `$(error) ${t('Flashline: stopped')}`,
      reason: t('The server ended several times and is not started again. Restart it from the menu.'),
    };
  if (connection === 'restarting')
    return {
      state: 'starting',
      text: `$(loading~spin) ${t('Flashline: restarting')}`,
      reason: t('The server ended and is starting again.'),
    };
  if (server?.state === 'error')
    return {
      state: 'error',
      text: `$(error) ${t('Flashline: error')}`,
      reason: server.message ?? t('Something went wrong; the log says more.'),
    };
  if (pause !== undefined)
    return {
      state: 'paused',
      text: pause === 'snoozed' ? '$(bell-slash) Flashline' : '$(circle-slash) Flashline',
      reason: pause === 'snoozed' ? snoozeText(view.snoozedUntil, t) : reasonText(pause, view.languageId, t),
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
      reason: t('The model is loading: {0}.', percent),
    };
  }
  if (server.state === 'asleep')
    return { state: 'asleep', text: '$(moon) Flashline', reason: asleepText(server.asleepBecause, t) };
  const readout = readoutOf(lastRow);
  const words = readout === undefined ? 'Flashline' : t('{0} tok/s x{1}', readout.speed, readout.perRound);
  if (server.state === 'generating')
    return { state: 'generating', text: `$(sync~spin) ${words}`, reason: t('Generating.') };
  if (server.fallback !== undefined)
    return {
      state: 'fallback',
      text: `$(warning) ${words}`,
      reason: t('Ready, but not with the model that the settings name.'),
    };
  return {
    state: 'ready',
    text: `$(zap) ${words}`,
    reason: view.trigger === 'manual' ? t('Ready; suggestions come on request only.') : t('Ready.'),
  };
}

function asleepText(because: StatusParams['asleepBecause'], t: Translate): string {
  switch (because) {
    case 'idle':
      return t('The model has left memory, as nothing was asked for a while. The next key loads it.');
    case 'memory':
      return t('The model has left memory, as the machine was short of it. The next key loads it.');
    case 'unused':
    case undefined:
      return t('No model is in memory yet. The next key loads it.');
  }
}

function snoozeText(until: number | undefined, t: Translate): string {
  if (until === undefined) return t('Flashline is snoozed.');
  if (until === Infinity) return t('Flashline is snoozed until VS Code restarts.');
  const time = new Date(until);
  const two = (value: number): string => String(value).padStart(2, '0');
  return t('Flashline is snoozed until {0}.', `${two(time.getHours())}:${two(time.getMinutes())}`);
}
