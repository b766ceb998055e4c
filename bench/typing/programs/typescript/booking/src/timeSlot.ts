export class TimeSlot {
  constructor(
    readonly start: Date,
    readonly end: Date,
  ) {
    if (end <= start) throw new RangeError('A slot must end after it starts');
  }

  get minutes(): number {
    return (this.end.getTime() - this.start.getTime()) / 60_000;
  }

  overlaps(other: TimeSlot): boolean {
    return this.start < other.end && other.start < this.end;
  }

  contains(moment: Date): boolean {
    return this.start <= moment && moment < this.end;
  }
}
