// Keeps track of what a warehouse has in stock, and what must be ordered again.

export interface StockItem {
  readonly id: string;
  readonly name: string;
  readonly quantity: number;
  readonly minimum: number;
}

export class Inventory {
  private readonly items = new Map<string, StockItem>();

  get size(): number {
    return this.items.size;
  }

  find(id: string): StockItem | undefined {
    return this.items.get(id);
  }

  add(item: StockItem): void {
    if (this.items.has(item.id)) {
      throw new Error(`item ${item.id} is already there`);
    }
    this.items.set(item.id, item);
  }

  remove(id: string): boolean {
    return this.items.delete(id);
  }

  change(id: string, amount: number): StockItem {
    const item = this.items.get(id);
    if (item === undefined) {
      throw new Error(`item ${id} is not there`);
    }
    const quantity = item.quantity + amount;
    if (quantity < 0) {
      throw new Error(`only ${item.quantity} of ${item.name} left`);
    }
    const changed = { ...item, quantity };
    this.items.set(id, changed);
    return changed;
  }

  toOrder(): StockItem[] {
    const result: StockItem[] = [];
    for (const item of this.items.values()) {
      if (item.quantity < item.minimum) {
        result.push(item);
      }
    }
    return result.sort((a, b) => a.name.localeCompare(b.name));
  }
}
