// The tooltip of the status bar entry: the model, what is going on, and all statistics of the last request. It is
// Markdown, with everything from outside escaped.
import type { ModelInfo, StatsRow, StatusParams } from '../server/protocol';
import { formatMs, formatPercent, formatRate, formatRatio, formatSize } from '../server/rules/format';
import type { AcceptanceCounts } from './acceptance';
import type { RunningDownload } from './models/downloads';
import { progressText } from './models/modelWords';
import { t } from './translate';
import { known } from './known';

export interface TooltipView {
  /** As the server last reported it; undefined before its first report. */
  readonly server?: StatusParams | undefined;
  /** Of a model, in the background. */
  readonly download?: RunningDownload | undefined;
  readonly lastRow?: StatsRow | undefined;
  readonly acceptance: AcceptanceCounts;
  /** The time to a suggestion in milliseconds, if that is too long. */
  readonly slowMs?: number | undefined;
}

/** `reason` is the state in a sentence. */
export function statusTooltip(view: TooltipView, reason: string): string {
  const { server, download, lastRow } = view;
  const { offered, accepted, acceptedParts, kept, reviewed } = view.acceptance;
  const parts = [`**Flashline**: ${markdownText(reason)}`];
  const say = (text: string): void => void parts.push(markdownText(text));
  const readout = readoutOf(lastRow);
  if (readout !== undefined) {
    const [speed, perRound] = readout;
    const lines = [entry(t('{0} tok/s:', speed), t('tokens per second while decoding the last request.'))];
    if (perRound !== undefined)
      lines.push(
        entry(t('x{0}:', perRound), t('tokens per pass of the target model; 1.0 without drafting.')),
      );
    // Two spaces end a line.
    parts.push(lines.join('  \n'));
  }
  const model = server?.model;
  if (model !== undefined) {
    const { drafter, infill } = model;
    const [target, device] = [modelName(model.target), model.device.toUpperCase()];
    if (model.remote) say(t('Model: {0} at {1}', target, model.remote.host));
    else if (drafter === undefined) say(t('Target: {0}, without a drafter, on {1}', target, device));
    else say(t('Target: {0}, drafter: {1}, on {2}', target, modelName(drafter), device));
    say(infillText(infill));
    if (model.target === 'embedded')
      say(
        t('It knows TypeScript, JavaScript and Python, and follows no instructions. Larger models do more.'),
      );
  }
  if (view.slowMs !== undefined) parts.push(slowText(view.slowMs, model));
  const remote = remoteText(server);
  if (remote !== undefined) parts.push(remote);
  if (server?.fallback !== undefined)
    parts.push(entry(t('Warning: the model from your settings is not in use.'), server.fallback));
  if (download !== undefined) say(t('Downloading {0}: {1}', download.name, progressText(download.progress)));
  if (model?.drafterProblem !== undefined) say(t('The drafter is not in use. {0}', model.drafterProblem));
  if (lastRow !== undefined) {
    const rows = statsLines(lastRow).map(([name, value]) => `| ${cell(name)} | ${cell(String(value))} |`);
    parts.push(`| ${cell(t('Last request'))} | ${cell(lastRow.file)} |\n|:--|--:|\n${rows.join('\n')}`);
  }
  if (offered > 0)
    say(
      t(
        'Suggestions: {0} offered, {1} accepted, {2} words or lines accepted; {3} of {4} still there after 30 s.',
        ...[offered, accepted, acceptedParts, kept, reviewed],
      ),
    );
  return parts.join('\n\n');
}

/** How long suggestions take, and what helps. */
function slowText(milliseconds: number, model: ModelInfo | undefined): string {
  const seconds = t('Suggestions take {0} s here.', (milliseconds / 1000).toFixed(1));
  if (model?.remote) return entry(seconds, t('The remote engine or the way to it is slow.'));
  if (isSmallest(model))
    return entry(seconds, t('No model is smaller. Other programs may keep this machine busy.'));
  return entry(seconds, t('A smaller model, or one with fewer bits, is faster: choose it in the menu.'));
}

/** Whether no other model would be faster. */
function isSmallest(model: ModelInfo | undefined): boolean {
  return model?.target === 'embedded';
}

/** Whether another model on this machine would be faster. */
export function hasFaster(model: ModelInfo | undefined): boolean {
  return model !== undefined && model.remote === undefined && !isSmallest(model);
}

/** What leaves the machine, and what its receiver tells about itself. */
function remoteText(server: StatusParams | undefined): string | undefined {
  const { host, totals } = server?.model?.remote ?? {};
  const receiver = host ?? server?.host;
  if (receiver === undefined) return undefined;
  const lines = [
    entry(
      t('Text leaves this machine:'),
      t('prompts with parts of your open files are sent to {0}.', receiver),
    ),
  ];
  if (totals !== undefined) {
    const { acceptedTokens, draftedTokens, tokensPerRound } = totals;
    lines.push(
      markdownText(
        t(
          'All users of that server since it started: {0} of {1} draft tokens accepted, {2} tokens per round.',
          ...[known(acceptedTokens), known(draftedTokens), known(tokensPerRound, formatRatio)],
        ),
      ),
    );
  }
  return lines.join('  \n');
}

export type Readout = readonly [speed: string, perRound: string | undefined];

/** The last request in two numbers, as far as they are known; undefined when it had no round to measure. */
export function readoutOf(row: StatsRow | undefined): Readout | undefined {
  const { decodeTokensPerSecond, tokensPerRound } = row?.rates ?? {};
  if (!decodeTokensPerSecond) return undefined;
  return [formatRate(decodeTokensPerSecond), tokensPerRound?.toFixed(1)];
}

export type StatsLine = readonly [name: string, value: string | number];

/** All statistics of one request by name; the values come only from the row. */
export function statsLines({ stats, rates, outcome }: StatsRow): StatsLine[] {
  const positions = stats.acceptedByPosition.map((count, i) => `${count}/${stats.draftedByPosition[i] ?? 0}`);
  const lines: (StatsLine | false)[] = [
    [t('Outcome'), outcomeText(outcome)],
    [t('Decode speed'), known(rates.decodeTokensPerSecond, perSecond)],
    [t('End-to-end speed (prefill included)'), known(rates.endToEndTokensPerSecond, perSecond)],
    [t('Tokens per round'), known(rates.tokensPerRound, formatRatio)],
    [t('Time to first token'), known(stats.timeToFirstTokenMs, formatMs)],
    [t('Tokens emitted'), known(stats.emittedTokens)],
    [t('Rounds (target passes)'), known(stats.rounds)],
    [t('Draft tokens verified'), known(stats.draftedTokens)],
    [
      t('Draft tokens accepted'),
      known(stats.acceptedTokens, (count) => `${count} (${known(rates.acceptanceRate, formatPercent)})`),
    ],
    ...stats.sources.map(({ name, rounds, drafted, accepted }): StatsLine => [
      t('Accepted from {0}', name),
      t('{0} of {1} (rounds: {2})', accepted, drafted, rounds),
    ]),
    positions.length > 0 && [t('Accepted by position'), positions.join(' ')],
    [t('Prompt tokens reused'), t('{0} of {1}', known(stats.reusedTokens), known(stats.promptTokens))],
    [t('Prefill (reading the prompt)'), known(stats.prefillMs, formatMs)],
    [t('Drafting (drafter)'), known(stats.draftMs, formatMs)],
    [t('Verifying (target)'), known(stats.verifyMs, formatMs)],
    [t('Building graphs (part of both)'), known(stats.buildMs, formatMs)],
    [t('Decoding in total'), known(stats.decodeMs, formatMs)],
    [t('Peak memory'), known(stats.peakMemoryBytes, formatSize)],
    stats.seed !== undefined && [t('Seed'), stats.seed],
    stats.speculationOff !== undefined && [t('Why there were no drafts'), offText(stats.speculationOff)],
  ];
  return lines.filter((line) => line !== false);
}

function perSecond(rate: number): string {
  return t('{0} tokens/s', formatRate(rate));
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

function offText(reason: NonNullable<StatsRow['stats']['speculationOff']>): string {
  return {
    no_drafter: t('there is no drafter'),
    drafter_mismatch: t('the drafter does not fit the model'),
    draft_length_zero: t('the draft length is 0'),
    logprobs_requested: t('token probabilities were requested'),
    context_limit: t('the text may exceed the drafter’s context length'),
  }[reason];
}

function modelName(name: string): string {
  return name === 'embedded' ? t('built-in') : name;
}

/** How the model is prompted for ghost text, as probed when it was loaded. */
function infillText(infill: ModelInfo['infill']): string {
  return {
    fim: t('Prompt format: fill-in-the-middle (the code before and after the cursor)'),
    chat: t('Prompt format: chat'),
    prefix: t('Prompt format: prefix (only the code before the cursor)'),
  }[infill];
}

/** A name in bold, and what it is about. */
function entry(name: string, text: string): string {
  return `**${markdownText(name)}** ${markdownText(text)}`;
}

function cell(text: string): string {
  return markdownText(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Escapes text so that nothing in it is read as Markdown, HTML or an icon. */
function markdownText(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!~<>$&-]/g, '\\$&');
}
