// Downloads of models, one at a time per window: in a notification that can pause it, and for whoever else shows it.
// Knows not what they are for.
import * as vscode from 'vscode';
import type { CatalogueEntry, DownloadOutcome, DownloadProgress } from '../../server/modelCatalogue';
import { Method } from '../../server/protocol';
import type { FlashlineClient } from '../client';
import { progressText } from './progressText';
import { entryName } from './entryName';
import type { HubToken } from './hubToken';

export interface RunningDownload {
  readonly name: string;
  readonly progress: DownloadProgress;
}

interface Job {
  readonly key: string;
  readonly name: string;
  readonly outcome: Promise<DownloadOutcome>;
  readonly pause: () => void;
}

export class Downloads implements vscode.Disposable {
  #job: Job | undefined;
  readonly #changed = new vscode.EventEmitter<RunningDownload | undefined>();

  /** Undefined once none runs. */
  readonly onChange = this.#changed.event;

  constructor(
    private readonly client: FlashlineClient,
    private readonly token: HubToken,
  ) {}

  /** The name of what is downloaded instead; undefined when `entry` can be. */
  busyWith({ repositories }: CatalogueEntry): string | undefined {
    return this.#job === undefined || this.#job.key === keyOf(repositories) ? undefined : this.#job.name;
  }

  /** Resolves once it is paused. */
  async pause(): Promise<void> {
    this.#job?.pause();
    await this.#job?.outcome;
  }

  /** Who asks for what is being downloaded joins in. */
  start(entry: CatalogueEntry, force: 'force' | 'check'): Promise<DownloadOutcome> {
    const key = keyOf(entry.repositories);
    if (this.#job?.key === key) return this.#job.outcome;
    const stop = new vscode.CancellationTokenSource();
    const name = entryName(entry, vscode.l10n.t);
    const outcome = this.#run({ entry, name, force }, stop).finally(() => {
      this.#job = undefined;
      stop.dispose();
      this.#changed.fire(undefined);
    });
    this.#job = { key, name, outcome, pause: () => stop.cancel() };
    return outcome;
  }

  dispose(): void {
    this.#job?.pause();
    this.#changed.dispose();
  }

  async #run(
    { entry, name, force }: { entry: CatalogueEntry; name: string; force: 'force' | 'check' },
    stop: vscode.CancellationTokenSource,
  ): Promise<DownloadOutcome> {
    const { repositories } = entry;
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Downloading {0}', name),
      cancellable: true,
    };
    const token = await this.token.forRequest();
    return await vscode.window.withProgress(options, async (notification, cancelled) => {
      cancelled.onCancellationRequested(() => {
        stop.cancel();
      });
      let shown = 0;
      const onProgress = (progress: DownloadProgress): void => {
        const percent = progress.bytes === 0 ? 0 : (100 * progress.arrivedBytes) / progress.bytes;
        notification.report({
          message: progressText(progress, vscode.l10n.t),
          increment: Math.max(0, percent - shown),
        });
        shown = percent;
        this.#changed.fire({ name, progress });
      };
      const params = { repositories, ...token, ...(force === 'force' && { force: true }) };
      try {
        return await this.client.stream<DownloadOutcome, DownloadProgress>(
          Method.download,
          params,
          onProgress,
          stop.token,
        );
      } catch (error) {
        // The server has gone; what has arrived is kept.
        const message = error instanceof Error ? error.message : String(error);
        return { finished: 'failed', reason: 'other', message };
      }
    });
  }
}

function keyOf(repositories: readonly string[]): string {
  return repositories.join(' ');
}
