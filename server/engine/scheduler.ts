// Grants one step at a time: a round or a prefill chunk runs alone on the device. Ghost text goes before next edits,
// these before generated code, and prefetching waits for all. A decode waits for a new turn before each step, so an urgent request waits for one step
// at most. Engines that compute on the same device share one scheduler.
import { QueueTicket, type RequestKind } from './request/queueTicket';

const BY_URGENCY: readonly RequestKind[] = ['inline', 'nextEdit', 'generate', 'prefetch'];
/** Newer inline steps that go first, as people wait for their latest key press, before an older request is served. */
const MAX_PASSED_OVER = 128;
/** After this many steps, an output goes to the end of the queue, so that a long one does not block short ones. */
const STEPS_IN_A_ROW = 64;

interface WaitingStep {
  readonly ticket: QueueTicket;
  readonly start: () => void;
}

export class Scheduler {
  #isBusy = false;
  #lastOrder = 0;
  readonly #waiting: WaitingStep[] = [];

  /**
   * Waits for a turn and returns the function that ends it, which the caller must call. Requests of one kind are served
   * in the order of their arrival, inline requests the newest first.
   */
  async acquire(ticket = new QueueTicket()): Promise<() => void> {
    this.#queue(ticket);
    if (this.#isBusy) await new Promise<void>((start) => this.#waiting.push({ ticket, start }));
    this.#isBusy = true;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      // A request with a next step asks for it within this tick; deferring lets it compete with the others.
      if (this.#waiting.length > 0) setImmediate(() => this.#startNext());
      else this.#isBusy = false;
    };
  }

  #queue(ticket: QueueTicket): void {
    ticket.steps += 1;
    const isLong = ticket.kind !== 'inline' && ticket.steps % STEPS_IN_A_ROW === 0;
    if (ticket.order === undefined || isLong) ticket.order = this.#lastOrder += 1;
  }

  /** Hands the turn over without releasing it, so that no other request can take it in between. */
  #startNext(): void {
    const next = this.#mostUrgent();
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.start();
  }

  #mostUrgent(): WaitingStep | undefined {
    const kind = BY_URGENCY.find((urgency) => this.#waiting.some(({ ticket }) => ticket.kind === urgency));
    const queue = this.#waiting
      .filter(({ ticket }) => ticket.kind === kind)
      .sort((a, b) => (a.ticket.order ?? 0) - (b.ticket.order ?? 0));
    const [oldest] = queue;
    if (kind !== 'inline' || oldest === undefined || oldest.ticket.passedOver >= MAX_PASSED_OVER)
      return oldest;
    for (const { ticket } of queue.slice(0, -1)) ticket.passedOver += 1;
    return queue.at(-1);
  }
}
