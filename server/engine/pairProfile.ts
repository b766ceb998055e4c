// What is known about a pair on this machine: what its rounds cost, and how often its drafts are right. It outlives
// requests, and as a snapshot also the process. Knows no files.
import { AcceptanceRates, type RatesSnapshot } from './acceptanceRates';
import { RoundCosts, type CostsSnapshot } from './roundCosts';

export interface ProfileSnapshot {
  readonly costs: CostsSnapshot;
  /** By drafter name. */
  readonly rates: Readonly<Record<string, RatesSnapshot>>;
}

export class PairProfile {
  readonly costs: RoundCosts;
  readonly #rates: Map<string, AcceptanceRates>;

  constructor(
    /** Of a block, the anchor's included. */
    readonly maxRows: number,
    snapshot?: ProfileSnapshot,
  ) {
    this.costs = new RoundCosts(maxRows, snapshot?.costs);
    const known = Object.entries(snapshot?.rates ?? {});
    this.#rates = new Map(known.map(([name, rates]) => [name, new AcceptanceRates(rates)]));
  }

  ratesOf(drafter: string): AcceptanceRates {
    const rates = this.#rates.get(drafter) ?? new AcceptanceRates();
    this.#rates.set(drafter, rates);
    return rates;
  }

  snapshot(): ProfileSnapshot {
    const rates = [...this.#rates].map(([name, each]) => [name, each.snapshot()] as const);
    return { costs: this.costs.snapshot(), rates: Object.fromEntries(rates) };
  }
}
