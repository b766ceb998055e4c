"""A queue that gives out the smallest item first, kept as a binary heap."""


class PriorityQueue:
    def __init__(self, items=None):
        self.items = []
        for item in items or []:
            self.push(item)

    def __len__(self):
        return len(self.items)

    def peek(self):
        if not self.items:
            raise IndexError("the queue is empty")
        return self.items[0]

    def push(self, item):
        self.items.append(item)
        self._sift_up(len(self.items) - 1)

    def pop(self):
        if not self.items:
            raise IndexError("the queue is empty")
        smallest = self.items[0]
        last = self.items.pop()
        if self.items:
            self.items[0] = last
            self._sift_down(0)
        return smallest

    def _sift_up(self, index):
        while index > 0:
            parent = (index - 1) // 2
            if self.items[parent] <= self.items[index]:
                return
            self._swap(index, parent)
            index = parent

    def _sift_down(self, index):
        while True:
            smallest = index
            for child in (2 * index + 1, 2 * index + 2):
                if child < len(self.items) and self.items[child] < self.items[smallest]:
                    smallest = child
            if smallest == index:
                return
            self._swap(index, smallest)
            index = smallest

    def _swap(self, a, b):
        self.items[a], self.items[b] = self.items[b], self.items[a]
