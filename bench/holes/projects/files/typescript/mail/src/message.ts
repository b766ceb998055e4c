export interface Attachment {
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface Message {
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly body: string;
  readonly attachments: readonly Attachment[];
}

export const MAX_ATTACHMENT_BYTES = 10_000_000;

export function totalSize(message: Message): number {
  return message.attachments.reduce((sum, attachment) => sum + attachment.bytes.length, 0);
}
