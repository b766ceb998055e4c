import type { TaxRate } from './taxRate';

export interface LineItem {
  description: string;
  quantity: number;
  unitPrice: number;
  taxRate: TaxRate;
}

export type InvoiceStatus = 'draft' | 'sent' | 'paid' | 'overdue';

export class Invoice {
  readonly items: LineItem[] = [];
  status: InvoiceStatus = 'draft';

  constructor(
    readonly number: string,
    readonly customer: string,
    readonly dueDate: Date,
  ) {}

  addItem(item: LineItem): void {
    this.items.push(item);
  }

  subtotal(): number {
    return this.items.reduce((sum, item) => sum + item.quantity * item.unitPrice, 0);
  }

  daysOverdue(today: Date): number {
    const days = (today.getTime() - this.dueDate.getTime()) / 86_400_000;
    return Math.max(0, Math.floor(days));
  }

  markPaid(): void {
    this.status = 'paid';
  }
}
