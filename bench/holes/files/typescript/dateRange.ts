const DAY_MS = 24 * 60 * 60 * 1000;

export class DateRange {
  constructor(
    readonly start: Date,
    readonly end: Date,
  ) {
    if (end < start) {
      throw new RangeError('The end of a range must not be before its start');
    }
  }

  static ofDays(start: Date, days: number): DateRange {
    return new DateRange(start, addDays(start, days));
  }

  get days(): number {
    return Math.round((this.end.getTime() - this.start.getTime()) / DAY_MS);
  }

  contains(date: Date): boolean {
    return date >= this.start && date < this.end;
  }

  overlaps(other: DateRange): boolean {
    return this.start < other.end && other.start < this.end;
  }

  intersection(other: DateRange): DateRange | undefined {
    if (!this.overlaps(other)) return undefined;
    const start = this.start > other.start ? this.start : other.start;
    const end = this.end < other.end ? this.end : other.end;
    return new DateRange(start, end);
  }

  *eachDay(): Generator<Date> {
    for (let day = this.start; day < this.end; day = addDays(day, 1)) {
      yield day;
    }
  }
}

export function addDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

export function startOfMonth(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
}

export function startOfYear(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), 0, 1));
}

export function isWeekend(date: Date): boolean {
  const day = date.getUTCDay();
  return day === 0 || day === 6;
}
