// Runs asynchronous tasks with a limit on how many may be active at the same time.

type Task<T> = () => Promise<T>;

export class TaskQueue {
  private readonly waiting: (() => void)[] = [];
  private active = 0;

  constructor(private readonly limit: number) {
    if (limit < 1) {
      throw new Error('limit must be at least 1');
    }
  }

  async run<T>(task: Task<T>): 
      return await task();
    } finally {
      this.release();
    }
  }

  get size(): number {
    return this.waiting.length + this.active;
  }

  private async acquire(): Promise<void> {
    if (this.active < this.limit) {
      this.active += 1;
      return;
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private release(): void {
    const next = this.waiting.shift();
    if (next) {
      next();
    } else {
      this.active -= 1;
    }
  }
}
