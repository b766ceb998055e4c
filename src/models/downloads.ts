// Downloads models, one at a time per window: shows a notification that can pause the download, and reports progress to
// other parts. Does not know why a model is downloaded.
import * as vscode from 'vscode';
import type { CatalogueEntry, DownloadOutcome, DownloadProgress } from '../../server/protocol/modelCatalogue';
import { Method } from '../../server/protocol/messages';
import type { FlashlineClient } from '../connection/client';
import { progressText } from '../../server/rules/downloadProgress';
import { failureOf } from '../../server/rules/failure';
import { entryName } from './modelWords';
import type { StoredToken } from './storedToken';

export interface RunningDownload {
  readonly name: string;
  readonly progress: DownloadProgress;
}

/** The download in progress. */
interface Job {
  readonly entry: CatalogueEntry;
  readonly outcome: Promise<DownloadOutcome>;
  readonly stop: vscode.CancellationTokenSource;
}

export class Downloads implements vscode.Disposable {
  #job: Job | undefined;
  readonly #changed = new vscode.EventEmitter<RunningDownload | undefined>();

  /** Fires with the progress of the running download; undefined once it has ended. */
  readonly onDidChange = this.#changed.event;

  constructor(
    private readonly client: FlashlineClient,
    private readonly token: StoredToken,
  ) {}

  /** Returns the name of another model that is being downloaded; undefined if `entry` can be downloaded. */
  otherRunning(entry: CatalogueEntry): string | undefined {
    return this.#job === undefined || isSame(this.#job.entry, entry) ? undefined : entryName(this.#job.entry);
  }

  /** Pauses the running download; resolves once it has stopped. */
  async pause(): Promise<void> {
    this.#job?.stop.cancel();
    await this.#job?.outcome;
  }

  /** Starts a download, or joins the running one of the same entry. One of another entry must be paused first. */
  start(entry: CatalogueEntry, isForced: boolean): Promise<DownloadOutcome> {
    if (this.#job !== undefined && isSame(this.#job.entry, entry)) return this.#job.outcome;
    const stop = new vscode.CancellationTokenSource();
    const outcome = this.#run(entry, isForced, stop).finally(() => {
      this.#job = undefined;
      stop.dispose();
      this.#changed.fire(undefined);
    });
    this.#job = { entry, outcome, stop };
    return outcome;
  }

  dispose(): void {
    this.#job?.stop.cancel();
    this.#changed.dispose();
  }

  async #run(
    entry: CatalogueEntry,
    isForced: boolean,
    stop: vscode.CancellationTokenSource,
  ): Promise<DownloadOutcome> {
    const name = entryName(entry);
    const token = await this.token.forRequest();
    const params = { repositories: entry.repositories, ...token, ...(isForced && { force: true }) };
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: `Downloading ${name}`,
      cancellable: true,
    };
    return await vscode.window.withProgress(options, async (notification, cancelled) => {
      cancelled.onCancellationRequested(() => {
        stop.cancel();
      });
      let shownPercent = 0;
      const onProgress = (progress: DownloadProgress): void => {
        const percent = progress.bytes === 0 ? 0 : (100 * progress.arrivedBytes) / progress.bytes;
        const increment = Math.max(0, percent - shownPercent);
        notification.report({ message: progressText(progress), increment });
        shownPercent = percent;
        this.#changed.fire({ name, progress });
      };
      try {
        return await this.client.stream(Method.download, params, onProgress, stop.token);
      } catch (error) {
        // The server has ended; the part downloaded so far is kept.
        return { finished: 'failed', reason: 'other', message: failureOf(error).message };
      }
    });
  }
}

function isSame(a: CatalogueEntry, b: CatalogueEntry): boolean {
  return String(a.repositories) === String(b.repositories);
}
