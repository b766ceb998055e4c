export interface Money {
  readonly amountInCents: number;
  readonly currency: string;
}

export function euros(amount: number): Money {
  return { amountInCents: Math.round(amount * 100), currency: 'EUR' };
}

export function addMoney(left: Money, right: Money): Money {
  if (left.currency !== right.currency) throw new Error('Different currencies');
  return { amountInCents: left.amountInCents + right.amountInCents, currency: left.currency };
}

export function formatMoney(money: Money): string {
  return `${(money.amountInCents / 100).toFixed(2)} ${money.currency}`;
}
