export type EntryKind = 'deposit' | 'withdrawal';

export interface Entry {
  kind: EntryKind;
  amount: number;
  note: string;
  at: Date;
}

export class InsufficientFundsError extends Error {
  constructor(
    readonly balance: number,
    readonly amount: number,
  ) {
    super(`Cannot withdraw ${amount} from a balance of ${balance}`);
    this.name = 'InsufficientFundsError';
  }
}

export class Ledger {
  private readonly entries: Entry[] = [];

  constructor(readonly owner: string) {}

  get balance(): number {
    return this.entries.reduce(
      (sum, entry) => (entry.kind === 'deposit' ? sum + entry.amount : sum - entry.amount),
      0,
    );
  }

  deposit(amount: number, note = ''): void {
    this.assertPositive(amount);
    this.entries.push({ kind: 'deposit', amount, note, at: new Date() });
  }

  withdraw(amount: number, note = ''): void {
    this.assertPositive(amount);
    if (amount > this.balance) {
      throw new InsufficientFundsError(this.balance, amount);
    }
    this.entries.push({ kind: 'withdrawal', amount, note, at: new Date() });
  }

  transferTo(other: Ledger, amount: number): void {
    this.withdraw(amount, `to ${other.owner}`);
    other.deposit(amount, `from ${this.owner}`);
  }

  history(kind?: EntryKind): Entry[] {
    if (kind === undefined) return [...this.entries];
    return this.entries.filter((entry) => entry.kind === kind);
  }

  private assertPositive(amount: number): void {
    if (!Number.isFinite(amount) || amount <= 0) {
      throw new RangeError(`Expected a positive amount, got ${amount}`);
    }
  }
}
