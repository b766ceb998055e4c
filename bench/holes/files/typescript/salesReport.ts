export interface Sale {
  product: string;
  region: string;
  quantity: number;
  unitPrice: number;
}

export interface Summary {
  key: string;
  count: number;
  quantity: number;
  revenue: number;
}

export function revenueOf(sale: Sale): number {
  return sale.quantity * sale.unitPrice;
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

function summarize(key: string, sales: readonly Sale[]): Summary {
  let quantity = 0;
  let revenue = 0;
  for (const sale of sales) {
    quantity += sale.quantity;
    revenue += revenueOf(sale);
  }
  return { key, count: sales.length, quantity, revenue };
}

export function summarizeByRegion(sales: readonly Sale[]): Summary[] {
  const groups = groupBy(sales, (sale) => sale.region);
  return [...groups].map(([region, group]) => summarize(region, group));
}

export function summarizeByProduct(sales: readonly Sale[]): Summary[] {
  const groups = groupBy(sales, (sale) => sale.product);
  return [...groups].map(([product, group]) => summarize(product, group));
}

export function topProducts(sales: readonly Sale[], limit: number): string[] {
  return summarizeByProduct(sales)
    .sort((a, b) => b.revenue - a.revenue)
    .slice(0, limit)
    .map((summary) => summary.key);
}

export function averagePrice(sales: readonly Sale[]): number {
  if (sales.length === 0) return 0;
  const total = sales.reduce((sum, sale) => sum + sale.unitPrice, 0);
  return total / sales.length;
}
