from dataclasses import dataclass, field


class OutOfStockError(Exception):
    def __init__(self, sku, wanted, available):
        super().__init__(f"{sku}: wanted {wanted}, only {available} available")
        self.sku = sku


@dataclass
class Item:
    sku: str
    name: str
    price: float
    quantity: int = 0
    reorder_level: int = 5

    @property
    def value(self):
        return self.price * self.quantity

    def needs_reorder(self):
        return self.quantity <= self.reorder_level


@dataclass
class Warehouse:
    name: str
    items: dict[str, Item] = field(default_factory=dict)

    def receive(self, sku, name, price, quantity):
        item = self.items.setdefault(sku, Item(sku, name, price))
        item.price = price
        item.quantity += quantity
        return item

    def ship(self, sku, quantity):
        item = self.items.get(sku)
        if item is None or item.quantity < quantity:
            raise OutOfStockError(sku, quantity, item.quantity if item else 0)
        item.quantity -= quantity

    def total_value(self):
        return sum(item.value for item in self.items.values())

    def reorder_list(self):
        return sorted(sku for sku, item in self.items.items() if item.needs_reorder())


warehouse = Warehouse("North")
warehouse.receive("A-100", "Desk lamp", 24.9, 12)
warehouse.receive("B-200", "Office chair", 149.0, 4)
warehouse.ship("A-100", 8)
print(f"{warehouse.name}: {warehouse.total_value():.2f}, reorder {warehouse.reorder_list()}")
