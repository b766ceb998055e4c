export type TaxRate = 'standard' | 'reduced' | 'exempt';

const PERCENT: Record<TaxRate, number> = {
  standard: 20,
  reduced: 5,
  exempt: 0,
};

export function taxOn(amount: number, rate: TaxRate): number {
  return (amount * PERCENT[rate]) / 100;
}

export function roundToCents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
