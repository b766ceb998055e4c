// `flashline models pull`: checks a pair or a repository, downloads it and shows the progress. Uses no network for one
// that is already downloaded, unless --update is given.
import type { ModelsArguments, Printout } from './modelsArguments';
import { downloadedModel } from '../../hub/downloadedModels';
import { interruptSignal } from '../interruptSignal';
import { Hub } from '../../hub/hub';
import { planDownload } from '../../hub/downloadPlan';
import { checkPlan } from '../../hub/modelProblems';
import { formatSize } from '../../rules/formatNumber';
import type { DownloadProgress } from '../../protocol/modelCatalogue';
import { download } from '../../hub/download';
import { progressText } from '../../rules/downloadProgress';
import { visibleText } from '../../rules/visibleText';

/** Clears the current line of a terminal. */
const CLEAR_LINE = '\r\x1b[K';

/** Shows progress: a line that is rewritten on a terminal, and separate lines elsewhere. */
class ProgressLine {
  #isOpen = false;

  /** Interval between two updates; longer without a terminal, where each adds a line. */
  get intervalMs(): number {
    return process.stderr.isTTY ? 200 : 10_000;
  }

  show(progress: DownloadProgress): void {
    this.#isOpen = process.stderr.isTTY;
    const text = progressText(progress);
    process.stderr.write(this.#isOpen ? CLEAR_LINE + text : `${text}\n`);
  }

  /** Ends the line, so that the next output starts on a new one. */
  end(): void {
    if (this.#isOpen) process.stderr.write('\n');
    this.#isOpen = false;
  }
}

export async function pull(args: ModelsArguments): Promise<Printout> {
  const { cache, update, force, endpoint, name } = args;
  // A known pair can have several variants; the first of the chosen ones has the fewest bits.
  const names = args.variants[0]?.repositories ?? args.repositories;
  const isDownloaded = names.every((repository) => downloadedModel(cache, repository) !== undefined);
  if (isDownloaded && !update) return printout(names, cache, 'already downloaded');
  const signal = interruptSignal();
  const hub = new Hub({ endpoint });
  const line = new ProgressLine();
  try {
    const plan = await planDownload(hub, cache, names, { signal, isUpdate: update });
    for (const { repository } of plan.models)
      say(`${repository.name}: licence ${repository.license ?? 'not stated'}`);
    const { loadable } = await import('../../models/loadable');
    for (const problem of await checkPlan(hub, plan, { loadable, force, signal }))
      say(`Ignored because of --force: ${problem.message}`);
    say(`${formatSize(plan.missingBytes)} to download into ${cache}`);
    const onProgress = (progress: DownloadProgress): void => line.show(progress);
    await download(hub, plan, { signal, onProgress, progressMs: line.intervalMs });
    line.end();
    return printout(names, cache, 'downloaded');
  } catch (error) {
    line.end();
    if (!signal.aborted) throw error;
  }
  // Without --update, an older revision would count as downloaded.
  const again = `flashline models pull ${name}${update ? ' --update' : ''}`;
  say(`Cancelled. The part downloaded so far is kept; ${again} resumes there.`);
  return { value: { finished: 'cancelled' }, lines: [] };
}

function printout(names: readonly string[], cache: string, how: string): Printout {
  const found = names.flatMap((name) => downloadedModel(cache, name) ?? []);
  const repositories = found.map(({ name, commit, directory, bytes }) => ({
    name,
    commit,
    directory,
    bytes,
  }));
  const lines = found.map(({ name, directory }) => `${name} ${how}: ${directory}`);
  return { value: { finished: 'done', repositories }, lines };
}

/** Prints a line to standard error, since standard output has only the result. */
function say(line: string): void {
  process.stderr.write(`${visibleText(line)}\n`);
}
