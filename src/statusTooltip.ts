// The tooltip of the status bar entry: the model, what is going on, and all statistics of the last request. Markdown in
// which nothing that comes from outside is taken for such.
import type { ModelInfo } from '../server/protocol';
import { progressText } from './models/progressText';
import { statsLines } from './statsLines';
import type { StatusView } from './status';
import type { Translate } from './translate';

/** `reason` is the state in a sentence. */
export function statusTooltip(
  { server, download, lastRow, acceptance }: StatusView,
  reason: string,
  t: Translate,
): string {
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
  if (model !== undefined) parts.push(markdownText(infillText(model.infill, t)));
  if (server?.fallback !== undefined)
    parts.push(
      `**${markdownText(t('Warning: the model of the settings is not used.'))}** ${markdownText(server.fallback)}`,
    );
  if (download !== undefined)
    parts.push(markdownText(t('Downloading {0}: {1}', download.name, progressText(download.progress, t))));
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

/** How ghost text is asked for, as it was probed when the model was loaded. */
function infillText(infill: ModelInfo['infill'], t: Translate): string {
  switch (infill) {
    case 'fim':
      return t('Suggestions are asked for by fill-in-the-middle.');
    case 'chat':
      return t('Suggestions are asked for in a conversation.');
    case 'prefix':
      return t('Suggestions continue the text before the cursor.');
  }
}

function cell(text: string): string {
  return markdownText(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Text in which nothing is taken for Markdown, HTML or an icon. */
function markdownText(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!~<>$&-]/g, '\\$&');
}
