export interface Upload {
  name: string;
  size: number;
  send: (signal: AbortSignal) => Promise<void>;
}

type Progress = (done: number, total: number) => void;

export class UploadQueue {
  private readonly waiting: Upload[] = [];
  private readonly controller = new AbortController();
  private active = 0;
  private sentBytes = 0;
  private totalBytes = 0;

  constructor(
    private readonly limit: number,
    private readonly onProgress: Progress = () => {},
  ) {}

  add(upload: Upload): void {
    this.waiting.push(upload);
    this.totalBytes += upload.size;
    this.startNext();
  }

  cancel(): void {
    this.waiting.length = 0;
    this.controller.abort();
  }

  private startNext(): void {
    while (this.active < this.limit) {
      const upload = this.waiting.shift();
      if (!upload) return;
      void this.run(upload);
    }
  }

  private async run(upload: Upload): Promise<void> {
    this.active += 1;
    try {
      await upload.send(this.controller.signal);
      this.sentBytes += upload.size;
      this.onProgress(this.sentBytes, this.totalBytes);
    } finally {
      this.active -= 1;
      this.startNext();
    }
  }
}
