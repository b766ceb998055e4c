import { Invoice, type InvoiceStatus } from './invoice';
import { roundToCents, taxOn } from './taxRate';

const LATE_FEE_PER_DAY = 1.5;

export interface StatementLine {
  number: string;
  status: InvoiceStatus;
  total: number;
  lateFee: number;
}

export function invoiceTotal(invoice: Invoice): number {
  let total = invoice.subtotal();
  for (const item of invoice.items) {
    total += taxOn(item.quantity * item.unitPrice, item.taxRate);
  }
  return roundToCents(total);
}

export function lateFee(invoice: Invoice, today: Date): number {
  if (invoice.status === 'paid') return 0;
  return roundToCents(invoice.daysOverdue(today) * LATE_FEE_PER_DAY);
}

export function statementFor(customer: string, invoices: Invoice[], today: Date): StatementLine[] {
  return invoices
    .filter((invoice) => invoice.customer === customer)
    .sort((a, b) => a.dueDate.getTime() - b.dueDate.getTime())
    .map((invoice) => ({
      number: invoice.number,
      status: invoice.status,
      total: invoiceTotal(invoice),
      lateFee: lateFee(invoice, today),
    }));
}

export function amountDue(lines: StatementLine[]): number {
  const open = lines.filter((line) => line.status !== 'paid');
  return roundToCents(open.reduce((sum, line) => sum + line.total + line.lateFee, 0));
}
