// Tooltip of the status bar entry: lines about the server and the active file, as Markdown with all outside text
// escaped.
import { progressText } from '../../server/rules/downloadProgress';
import type { AcceptanceCounts } from '../ghostText/acceptanceCounter';
import { infillText } from '../models/modelWords';
import type { StatsRow, StatusParams } from '../../server/protocol/messages';
import { isStartedHere } from '../../server/rules/remoteAddress';
import { outcomeText } from './outcomeText';
import { formatMs } from '../../server/rules/formatNumber';
import type { StatusView } from './statusView';

/** Returns the tooltip. `state` is the state in a few words, `reason` the same in a sentence. */
export function statusTooltip(view: StatusView, state: string, reason: string): string {
  const { server, download, acceptance } = view;
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
    ['Accepted:', acceptedText(acceptance)],
    ['Time to suggestion:', ...timeTexts(view)],
  ];
  const link = '[Show Statistics](command:flashline.showStatistics)';
  // Two spaces end a line.
  return [...lines.map(line), link].join('  \n');
}

function line([name, ...sentences]: readonly (string | undefined)[]): string {
  const text = sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' · ');
  return `**${markdownText(name ?? '')}** ${markdownText(text)}`;
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

/** Returns the reason of a pause that the entry itself does not show. */
function pauseHere({ connection, server, pause }: StatusView): string | undefined {
  const isReady = connection === 'running' && (server?.state === 'ready' || server?.state === 'asleep');
  return isReady && pause?.reason === 'multiCursor' ? pause.text : undefined;
}

/** Outcomes that explain why there is no suggestion. */
const EXPLAINING: readonly StatsRow['outcome'][] = ['empty', 'filtered', 'hidden'];

/** Returns the outcome of the last request, if that was for the active file and explains why nothing was shown. */
function outcomeHere({ server, lastRow, file, pause }: StatusView): string | undefined {
  if (server?.state !== 'ready' || pause !== undefined || lastRow === undefined) return undefined;
  if (lastRow.file !== file || !EXPLAINING.includes(lastRow.outcome)) return undefined;
  return `Last request: ${outcomeText(lastRow.outcome)}`;
}

function acceptedText({ offered, accepted, acceptedParts }: AcceptanceCounts): string {
  if (offered === 0) return 'no suggestion so far';
  const suggestions = `${accepted} of ${offered} suggestions`;
  return acceptedParts === 0 ? suggestions : `${suggestions}, and ${acceptedParts} words or lines of others`;
}

/** Returns the typical time to a suggestion, and the last measured speed. */
function timeTexts({ suggestionMs, speed }: StatusView): (string | undefined)[] {
  return [
    suggestionMs === undefined ? 'not measured yet' : formatMs(suggestionMs),
    speed && `${speed.rate} tok/s`,
    speed?.tokensPerPass ? `${speed.tokensPerPass.toFixed(1)} tokens per pass` : undefined,
  ];
}

/** Escapes text that Markdown would read as markup, HTML or an icon. */
function markdownText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+!~<>$&|-]/g, '\\$&');
}
