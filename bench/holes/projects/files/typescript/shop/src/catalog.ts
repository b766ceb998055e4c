import type { Money } from './money';

export interface Product {
  readonly sku: string;
  readonly title: string;
  readonly unitPrice: Money;
  readonly weightInGrams: number;
}

export class Catalog {
  private readonly products = new Map<string, Product>();

  register(product: Product): void {
    this.products.set(product.sku, product);
  }

  findBySku(sku: string): Product | undefined {
    return this.products.get(sku);
  }

  lighterThan(grams: number): Product[] {
    return [...this.products.values()].filter((product) => product.weightInGrams < grams);
  }
}
