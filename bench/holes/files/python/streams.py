from collections import deque
from itertools import islice


def take(count, items):
    return list(islice(items, count))


def chunked(items, size):
    """Split an iterable into lists of at most `size` items."""
    iterator = iter(items)
    while chunk := take(size, iterator):
        yield chunk


def windows(items, size):
    """Yield overlapping tuples of `size` items."""
    window = deque(maxlen=size)
    for item in items:
        window.append(item)
        if len(window) == size:
            yield tuple(window)


def pairwise(items):
    iterator = iter(items)
    previous = next(iterator, None)
    for item in iterator:
        yield previous, item
        previous = item


def unique(items, key=None):
    seen = set()
    for item in items:
        value = item if key is None else key(item)
        if value not in seen:
            seen.add(value)
            yield item


def running_total(numbers):
    total = 0
    for number in numbers:
        total += number
        yield total


def running_mean(numbers):
    total = 0
    for count, number in enumerate(numbers, start=1):
        total += number
        yield total / count


def merge_sorted(left, right):
    left, right = list(left), list(right)
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            yield left[i]
            i += 1
        else:
            yield right[j]
            j += 1
    yield from left[i:]
    yield from right[j:]


class Countdown:
    def __init__(self, start):
        self.start = start

    def __iter__(self):
        current = self.start
        while current > 0:
            yield current
            current -= 1

    def __len__(self):
        return self.start
