package inventory

import (
	"errors"
	"fmt"
	"sort"
	"sync"
)

var (
	ErrUnknownItem = errors.New("unknown item")
	ErrOutOfStock  = errors.New("out of stock")
	ErrBadQuantity = errors.New("bad quantity")
)

type Item struct {
	SKU      string
	Name     string
	Quantity int
	Cents    int64
}

type Inventory struct {
	mu    sync.RWMutex
	items map[string]*Item
}

func New() *Inventory {
	return &Inventory{items: make(map[string]*Item)}
}

func (inv *Inventory) Add(item Item) error {
	if item.Quantity < 0 {
		return ErrBadQuantity
	}
	inv.mu.Lock()
	defer inv.mu.Unlock()
	if existing, ok := inv.items[item.SKU]; ok {
		existing.Quantity += item.Quantity
		return nil
	}
	inv.items[item.SKU] = &item
	return nil
}

func (inv *Inventory) Remove(sku string, quantity int) error {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	item, ok := inv.items[sku]
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknownItem, sku)
	}
	if item.Quantity < quantity {
		return fmt.Errorf("%w: %s", ErrOutOfStock, sku)
	}
	item.Quantity -= quantity
	return nil
}

func (inv *Inventory) TotalCents() int64 {
	inv.mu.RLock()
	defer inv.mu.RUnlock()
	var total int64
	for _, item := range inv.items {
		total += int64(item.Quantity) * item.Cents
	}
	return total
}

func (inv *Inventory) Names() []string {
	inv.mu.RLock()
	defer inv.mu.RUnlock()
	names := make([]string, 0, len(inv.items))
	for _, item := range inv.items {
		names = append(names, item.Name)
	}
	sort.Strings(names)
	return names
}
