// The status bar entry as a pure function of what is known: text, tooltip, and words for a screen reader.
// One state at a time, the one that the person can do something about first.
import type { StatsRow, StatusParams } from '../server/protocol';
import type { AcceptanceCounts } from './acceptance';
import type { ConnectionState } from './client';
import { formatPercent, formatRate } from './format';
import type { GateReason } from './gate';
import { reasonText } from './reasonText';
import { statsLines } from './statsLines';
import type { Translate } from './translate';

export interface StatusView {
  readonly connection: ConnectionState;
  /** The server's own word; undefined before its first. */
  readonly server: StatusParams | undefined;
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
  readonly state: 'starting' | 'loading' | 'ready' | 'generating' | 'paused' | 'error';
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
  const { state, text, reason } = stateOf(view, t);
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
  return { state, text, reason, label, tooltip: tooltipOf(view, reason, t) };
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
  const readout = readoutOf(lastRow);
  const words = readout === undefined ? 'Flashline' : t('{0} tok/s x{1}', readout.speed, readout.perRound);
  if (server.state === 'generating')
    return { state: 'generating', text: `$(sync~spin) ${words}`, reason: t('Generating.') };
  return {
    state: 'ready',
    text: `$(zap) ${words}`,
    reason: view.trigger === 'manual' ? t('Ready; suggestions come on request only.') : t('Ready.'),
  };
}

function snoozeText(until: number | undefined, t: Translate): string {
  if (until === undefined) return t('Flashline is snoozed.');
  if (until === Infinity) return t('Flashline is snoozed until VS Code restarts.');
  const time = new Date(until);
  const two = (value: number): string => String(value).padStart(2, '0');
  return t('Flashline is snoozed until {0}.', `${two(time.getHours())}:${two(time.getMinutes())}`);
}

function tooltipOf({ server, lastRow, acceptance }: StatusView, reason: string, t: Translate): string {
  const parts = [`**Flashline**: ${markdownText(reason)}`];
  const model = server?.model;
  if (model !== undefined)
    parts.push(
      markdownText(
        model.drafter === undefined
          ? t('{0} without a drafter, on {1}', model.target, model.device)
          : t('{0} with drafter {1}, on {2}', model.target, model.drafter, model.device),
      ),
    );
  if (model?.drafterProblem !== undefined)
    parts.push(markdownText(t('The drafter is not used. {0}', model.drafterProblem)));
  if (lastRow !== undefined) {
    const rows = statsLines(lastRow, t).map(({ name, value }) => `| ${cell(name)} | ${cell(value)} |`);
    parts.push(`| ${cell(t('Last request'))} | ${cell(lastRow.file)} |\n|:--|--:|\n${rows.join('\n')}`);
  }
  if (acceptance.offered > 0)
    parts.push(
      markdownText(
        t(
          'Suggestions: {0} offered, {1} accepted, {2} parts accepted; {3} of {4} still there after 30 s.',
          acceptance.offered,
          acceptance.accepted,
          acceptance.acceptedParts,
          acceptance.kept,
          acceptance.reviewed,
        ),
      ),
    );
  return parts.join('\n\n');
}

function cell(text: string): string {
  return markdownText(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Text in which nothing is taken for Markdown, HTML or an icon. */
function markdownText(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!~<>$&-]/g, '\\$&');
}
