import { Catalog, type Product } from './catalog';
import { addMoney, euros, formatMoney, type Money } from './money';

export interface BasketLine {
  readonly sku: string;
  readonly quantity: number;
}

export class Checkout {
  constructor(private readonly catalog: Catalog) {}

  productOf(line: BasketLine): Product {
    const product = this.catalog.findBySku(line.sku);
    if (product === undefined) throw new Error(`Unknown product ${line.sku}`);
    return product;
  }

  total(lines: readonly BasketLine[]): Money {
    let total = euros(0);
    for (const line of lines) {
      for (let i = 0; i < line.quantity; i++) {
        total = addMoney(total, this.productOf(line).unitPrice);
      }
    }
    return total;
  }

  weight(lines: readonly BasketLine[]): number {
    let grams = 0;
    for (const line of lines) {
      grams += this.productOf(line).weightInGrams * line.quantity;
    }
    return grams;
  }

  letters(): string[] {
    return this.catalog.lighterThan(500).map((product) => product.title);
  }

  receipt(lines: readonly BasketLine[]): string {
    const rows = lines.map((line) => `${this.productOf(line).title} x ${line.quantity}`);
    return [...rows, formatMoney(this.total(lines))].join('\n');
  }
}
