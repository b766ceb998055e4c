// Grants one step at a time: a round or a prefill chunk runs alone on the device. Ghost text goes before next edits,
// these go before generated code, and prefetching waits for all. A decode waits for a new turn before each step, so an
// urgent request rarely waits for more than one step. Engines that compute on the same device share one scheduler.
import { QueueTicket, type RequestKind } from './request/queueTicket';

/** Newer inline steps that can go before an older request: people wait for their latest key press. */
const MAX_PASSED_OVER = 128;
/** Inline requests in progress at a time; newer ones go first, but each of them holds memory. */
const MAX_BEGUN = 4;
/**
 * Inline steps in a row after which generated code gets a step before the next inline request, so that a flood of
 * inline requests does not stop it.
 */
const MAX_INLINE_IN_A_ROW = 8;
/** Steps after which an output other than ghost text goes to the end of the queue, so that short ones do not wait. */
const STEPS_IN_A_ROW = 64;

interface WaitingStep {
  readonly ticket: QueueTicket;
  readonly start: () => void;
}

export class Scheduler {
  #isBusy = false;
  #lastOrder = 0;
  /** Inline steps in a row during which generated code waited. */
  #inlineInARow = 0;
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

  /** Returns the step to run next. Counts inline steps in a row, and how often each waiting one was passed over. */
  #mostUrgent(): WaitingStep | undefined {
    const steps = (kind: RequestKind): WaitingStep[] =>
      this.#waiting
        .filter(({ ticket }) => ticket.kind === kind)
        .sort((a, b) => (a.ticket.order ?? 0) - (b.ticket.order ?? 0));
    const waitingInline = steps('inline');
    const inline = newestOf(waitingInline);
    const [generate] = steps('generate');
    // Generated code goes first only between two inline requests, so that none of them is interrupted.
    const isNewRequest = inline?.ticket.steps === 1;
    if (generate && isNewRequest && this.#inlineInARow >= MAX_INLINE_IN_A_ROW) {
      this.#inlineInARow = 0;
      return generate;
    }
    this.#inlineInARow = inline && generate ? this.#inlineInARow + 1 : 0;
    if (inline === undefined) return steps('nextEdit')[0] ?? generate ?? steps('prefetch')[0];
    // A step that was passed over too often itself passes over none.
    if (inline.ticket.passedOver < MAX_PASSED_OVER)
      for (const { ticket } of waitingInline) if (ticket !== inline.ticket) ticket.passedOver += 1;
    return inline;
  }
}

/** Returns the newest inline step, or the oldest if it was passed over too often. */
function newestOf(inline: readonly WaitingStep[]): WaitingStep | undefined {
  // `steps` already includes the step that a ticket waits for, so a request that has run a step has more than one.
  const begun = inline.filter(({ ticket }) => ticket.steps > 1);
  const queue = begun.length < MAX_BEGUN ? inline : begun;
  const [oldest] = queue;
  return oldest === undefined || oldest.ticket.passedOver >= MAX_PASSED_OVER ? oldest : queue.at(-1);
}
