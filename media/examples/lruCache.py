"""A cache that forgets what was used least recently."""

from collections import OrderedDict


class LRUCache:
    def __init__(self, capacity):
        if capacity <= 0:
            raise ValueError("capacity must be positive")
        self.capacity = capacity
        self.items = OrderedDict()
        self.hits = 0
        self.misses = 0

    def get(self, key, default=None):
        if key not in self.items:
            self.misses += 1
            return default
        self.items.move_to_end(key)
        self.hits += 1
        return self.items[key]

    def put(self, key, value):
        if key in self
        if len(self.items) > self.capacity:
            self.items.popitem(last=False)

    def clear(self):
        self.items.clear()
        self.hits = 0
        self.misses = 0

    def __len__(self):
        return len(self.items)

    def __contains__(self, key):
        return key in self.items
