// A drafter that writes down what it is shown, and shows the state of the decode it serves.
// Everything else it leaves to the drafter inside.
import type { Drafter, DraftState, Proposal } from '../../server/models/drafters/drafter';
import type { MxArray } from '../../server/models/mlx/ops';
import type { TargetModel } from '../../server/models/decoder/target';

export class RecordingDrafter implements Drafter {
  /** Every token that was committed to the state, in order. */
  readonly committed: number[] = [];
  state: DraftState | undefined;

  constructor(private readonly inner: Drafter) {}

  get name(): string {
    return this.inner.name;
  }

  get isFree(): boolean {
    return this.inner.isFree;
  }

  get maxDraftTokens(): number {
    return this.inner.maxDraftTokens;
  }

  get taps(): readonly number[] {
    return this.inner.taps;
  }

  newState(target: TargetModel, expectedRows: number): DraftState {
    this.committed.length = 0;
    return (this.state = new RecordedState(this.inner.newState(target, expectedRows), this.committed));
  }

  dispose(): void {
    this.inner.dispose();
  }
}

class RecordedState implements DraftState {
  constructor(
    private readonly inner: DraftState,
    private readonly committed: number[],
  ) {}

  get offset(): number {
    return this.inner.offset;
  }

  relate(tokens: readonly number[]): void {
    this.inner.relate(tokens);
  }

  commit(tokens: readonly number[], taps: MxArray | undefined): void {
    this.inner.commit(tokens, taps);
    this.committed.push(...tokens);
  }

  propose(anchor: number, count: number): Proposal {
    return this.inner.propose(anchor, count);
  }

  reachable(length: number): number {
    return this.inner.reachable(length);
  }

  trimTo(length: number): void {
    this.inner.trimTo(length);
    this.committed.length = length;
  }

  fork(length: number, expectedRows: number): DraftState {
    return new RecordedState(this.inner.fork(length, expectedRows), this.committed.slice(0, length));
  }

  arrays(): MxArray[] {
    return this.inner.arrays();
  }

  dispose(): void {
    this.inner.dispose();
  }
}
