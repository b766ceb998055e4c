<?php

declare(strict_types=1);

namespace App\Shop;

use InvalidArgumentException;

final class CartItem
{
    public function __construct(
        public readonly string $sku,
        public readonly int $quantity,
        public readonly int $priceCents,
    ) {
        if ($quantity < 1) {
            throw new InvalidArgumentException('Quantity must be positive');
        }
    }

    public function total(): int
    {
        return $this->quantity * $this->priceCents;
    }

    public function withQuantity(int $quantity): self
    {
        return new self($this->sku, $quantity, $this->priceCents);
    }
}

final class Cart
{
    /** @var array<string, CartItem> */
    private array $items = [];

    public function add(CartItem $item): void
    {
        $existing = $this->items[$item->sku] ?? null;
        if ($existing !== null) {
            $item = $existing->withQuantity($existing->quantity + $item->quantity);
        }
        $this->items[$item->sku] = $item;
    }

    public function remove(string $sku): void
    {
        unset($this->items[$sku]);
    }

    public function isEmpty(): bool
    {
        return $this->items === [];
    }

    public function total(): int
    {
        return array_sum(array_map(fn (CartItem $item): int => $item->total(), $this->items));
    }

    /** @return CartItem[] sorted by price, the highest first */
    public function sorted(): array
    {
        $items = array_values($this->items);
        usort($items, fn (CartItem $a, CartItem $b): int => $b->priceCents <=> $a->priceCents);
        return $items;
    }

    public function toArray(): array
    {
        $rows = [];
        foreach ($this->items as $item) {
            $rows[] = [
                'sku' => $item->sku,
                'quantity' => $item->quantity,
                'total' => $item->total(),
            ];
        }
        return $rows;
    }
}
