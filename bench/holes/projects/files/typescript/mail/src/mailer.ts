import { MAX_ATTACHMENT_BYTES, totalSize, type Message } from './message';
import type { DeliveryReport, Transport } from './transport';

export class Mailer {
  private readonly queue: Message[] = [];

  constructor(private readonly transport: Transport) {}

  enqueue(message: Message): void {
    if (totalSize(message) > MAX_ATTACHMENT_BYTES) throw new RangeError('Attachments are too large');
    if (message.recipients.length === 0) throw new RangeError('Nobody to send to');
    this.queue.push(message);
  }

  async flush(host: string, port: number): Promise<DeliveryReport[]> {
    const reports: DeliveryReport[] = [];
    await this.transport.connect(host, port);
    try {
      for (const message of this.queue) {
        reports.push(await this.transport.deliver(message));
      }
    } finally {
      await this.transport.disconnect();
    }
    this.queue.length = 0;
    return reports;
  }

  failures(reports: readonly DeliveryReport[]): string[] {
    return reports.flatMap((report) => report.rejectedRecipients);
  }

  summary(message: Message): string {
    const files = message.attachments.map((attachment) => attachment.fileName);
    return `${message.subject} (${files.join(', ')})`;
  }
}
