// The one prefetch that runs, or ran last: begins when the engine is idle, goes on while the person types along or
// accepts what is shown, and is given up for anything else. What is asked, and of whom, its caller knows.
import { once } from 'node:events';
import type { DocumentSnapshot } from '../completion/context';
import { isAt, leadsTo, type Accepted } from '../completion/prefetch';
import type { ServerSettings } from '../protocol';
import { failureLine } from '../inputError';

export interface PrefetchingParts {
  readonly isIdle: () => boolean;
  /** Whether the machine does not run on a battery. */
  readonly pluggedIn: () => Promise<boolean>;
  readonly log: (line: string) => void;
}

/** `mayBegin` tells, after the pause, whether to ask the model. */
export type PrefetchWork = (signal: AbortSignal, mayBegin: () => Promise<boolean>) => Promise<void>;

interface Prefetch {
  readonly accepted: Accepted;
  readonly controller: AbortController;
  begun: boolean;
  ended: Promise<void>;
}

export class Prefetching {
  /** Kept when it has ended, so that what led to nothing is not tried again. */
  #latest: Prefetch | undefined;

  constructor(private readonly parts: PrefetchingParts) {}

  /** Gives up what runs, unless it is for the same place; never throws. */
  start(accepted: Accepted, when: ServerSettings['prefetch'], work: PrefetchWork): void {
    const { document, context } = accepted;
    if (when === 'never') return;
    if (this.#latest && isAt(this.#latest.accepted, document, context.offset)) return;
    this.stop();
    const controller = new AbortController();
    const prefetch: Prefetch = { accepted, controller, begun: false, ended: Promise.resolve() };
    this.#latest = prefetch;
    const mayBegin = async (): Promise<boolean> => {
      if (when === 'pluggedIn' && !(await this.parts.pluggedIn())) return false;
      return (prefetch.begun = this.parts.isIdle());
    };
    prefetch.ended = work(controller.signal, mayBegin).catch((error: unknown) => {
      this.parts.log(failureLine('prefetch', error));
    });
  }

  stop(): void {
    this.#latest?.controller.abort('superseded');
    this.#latest = undefined;
  }

  /** Tells of a document as it is now. */
  changed(document: DocumentSnapshot): void {
    if (this.#latest && !leadsTo(this.#latest.accepted, document)) this.stop();
  }

  /** Waits for what is being found out for this very cursor; at once when that is nothing. */
  async arrived(document: DocumentSnapshot, offset: number, signal: AbortSignal): Promise<void> {
    const { accepted, begun, ended } = this.#latest ?? {};
    if (!accepted || !begun || signal.aborted || !isAt(accepted, document, offset)) return;
    await Promise.race([ended, once(signal, 'abort')]);
  }
}
