export type OrderState = 'draft' | 'paid' | 'shipped' | 'delivered' | 'cancelled';
export type OrderEvent = 'pay' | 'ship' | 'deliver' | 'cancel';

type Transitions = Record<OrderState, Partial<Record<OrderEvent, OrderState>>>;

const TRANSITIONS: Transitions = {
  draft: { pay: 'paid', cancel: 'cancelled' },
  paid: { ship: 'shipped', cancel: 'cancelled' },
  shipped: { deliver: 'delivered' },
  delivered: {},
  cancelled: {},
};

export class InvalidTransitionError extends Error {
  constructor(state: OrderState, event: OrderEvent) {
    super(`Cannot ${event} an order that is ${state}`);
  }
}

type Listener = (from: OrderState, to: OrderState) => void;

export class Order {
  private current: OrderState = 'draft';
  private readonly listeners = new Set<Listener>();

  constructor(readonly id: string) {}

  get state(): OrderState {
    return this.current;
  }

  get isFinal(): boolean {
    return Object.keys(TRANSITIONS[this.current]).length === 0;
  }

  can(event: OrderEvent): boolean {
    return TRANSITIONS[this.current][event] !== undefined;
  }

  dispatch(event: OrderEvent): OrderState {
    const next = TRANSITIONS[this.current][event];
    if (next === undefined) throw new InvalidTransitionError(this.current, event);
    const previous = this.current;
    this.current = next;
    for (const listener of this.listeners) {
      listener(previous, next);
    }
    return next;
  }

  onChange(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export function replay(id: string, events: OrderEvent[]): Order {
  const order = new Order(id);
  for (const event of events) {
    order.dispatch(event);
  }
  return order;
}
