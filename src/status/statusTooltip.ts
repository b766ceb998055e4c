// The tooltip of the status bar entry: six lines about the file in front. Markdown, with everything from outside escaped.
import type { StatsRow, StatusParams } from '../../server/protocol/messages';
import { formatMs, formatRate } from '../../server/rules/format';
import { isStartedHere } from '../../server/rules/remoteAddress';
import type { AcceptanceCounts } from '../ghostText/acceptance';
import type { RunningDownload } from '../models/downloads';
import { infillText, progressText } from '../models/modelWords';
import { t } from '../translate';

export interface TooltipView {
  /** As the server last reported it; undefined before its first report. */
  readonly server?: StatusParams | undefined;
  /** Of a model, in the background. */
  readonly download?: RunningDownload | undefined;
  readonly lastRow?: StatsRow | undefined;
  /** Set while nothing is suggested in the file in front. */
  readonly pause?: object | undefined;
  /** Its name, as rows have it. */
  readonly file?: string | undefined;
  readonly acceptance: AcceptanceCounts;
  /** The usual time to a suggestion in milliseconds, once there was one. */
  readonly suggestionMs?: number | undefined;
}

/** `state` and `reason` are the state in a few words and in a sentence. */
export function statusTooltip(view: TooltipView, state: string, reason: string): string {
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
function outcomeHere({ server, lastRow, file, pause }: TooltipView): string | undefined {
  if (server?.state !== 'ready' || pause !== undefined || lastRow === undefined) return undefined;
  if (lastRow.file !== file || lastRow.outcome === 'shown') return undefined;
  return t('Last request: {0}', outcomeText(lastRow.outcome));
}

/** How long suggestions take, and how fast the last request was. */
function timeTexts({ suggestionMs, lastRow }: TooltipView): (string | undefined)[] {
  const { tokensPerRound } = lastRow?.rates ?? {};
  const speed = speedOf(lastRow);
  return [
    suggestionMs === undefined ? t('not measured yet') : formatMs(suggestionMs),
    speed && t('{0} tok/s', speed),
    tokensPerRound ? t('{0} tokens per pass', tokensPerRound.toFixed(1)) : undefined,
  ];
}

/** Tokens per second of a request; undefined when there were too few to measure. */
export function speedOf(row: StatsRow | undefined): string | undefined {
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
