// A small shopping cart: items, a discount, and a summary line for the user.

export interface CartItem {
  readonly name: string;
  readonly price: number;
  readonly quantity: number;
}

export class ShoppingCart {
  private readonly items: CartItem[] = [];
  private discount = 0;

  add(item: CartItem): void {
    if (item.quantity <= 0) {
      throw new Error('quantity must be positive');
    }
    this.items.push(item);
  }

  remove(name: string
      return false;
    }
    this.items.splice(index, 1);
    return true;
  }

  setDiscount(discount: number): void {
    if (discount < 0 || discount > 1) {
      throw new Error('discount must be between 0 and 1');
    }
    this.discount = discount;
  }

  total(): number {
    const sum = this.items.reduce((total, item) => total + item.price * item.quantity, 0);
    return sum * (1 - this.discount);
  }

  summary(): string {
    return `${this.items.length} items, ${this.total().toFixed(2)} in total`;
  }
}
