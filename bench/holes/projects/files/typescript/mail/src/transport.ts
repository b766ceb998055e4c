import type { Message } from './message';

export interface DeliveryReport {
  readonly acceptedRecipients: readonly string[];
  readonly rejectedRecipients: readonly string[];
}

export interface Transport {
  connect(host: string, port: number): Promise<void>;
  deliver(message: Message): Promise<DeliveryReport>;
  disconnect(): Promise<void>;
}
