"""Near duplicates by MinHash over 5-grams of tokens, with buckets of bands (locality-sensitive hashing)."""

import numpy as np

GRAM = 5
PERMUTATIONS = 64
ROWS = 4
"""Rows of a band: texts of Jaccard similarity s share one of the 16 bands with probability 1 - (1 - s^4)^16."""
MAX_IN_BUCKET = 8
"""Texts that a bucket keeps, so that a common band does not slow down every comparison."""

_MAX_BYTES = 1 << 18
_BASE = 0x9E3779B97F4A7C15 | 1


def _powers(base: int, count: int) -> np.ndarray:
    """Returns base^0, base^1, ... modulo 2^64."""
    powers = np.full(count, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


_POWERS = _powers(_BASE, _MAX_BYTES + 1)
_INVERSES = _powers(pow(_BASE, -1, 1 << 64), _MAX_BYTES + 1)
_GRAM_FACTORS = [np.uint64(pow(0xC2B2AE3D27D4EB4F, k + 1, 1 << 64)) for k in range(GRAM)]
_RANDOM = np.random.default_rng(20)
_FACTORS = _RANDOM.integers(0, 1 << 63, PERMUTATIONS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
_TERMS = _RANDOM.integers(0, 1 << 63, PERMUTATIONS, dtype=np.uint64)


def _byte_classes() -> np.ndarray:
    """Returns the class of each byte: 0 white space, 1 part of a word, 2 a token of its own."""
    classes = np.full(256, 2, dtype=np.uint8)
    classes[[ord(char) for char in " \t\n\r\f\v"]] = 0
    words = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"
    classes[[ord(char) for char in words]] = 1
    classes[128:] = 1
    return classes


_CLASSES = _byte_classes()


def _token_hashes(text: bytes) -> np.ndarray:
    """Returns one hash per token, [tokens] uint64, from differences of the sums of a rolling hash."""
    content = np.frombuffer(text[:_MAX_BYTES], dtype=np.uint8)
    classes = _CLASSES[content]
    in_word = classes == 1
    starts = classes != 0
    starts[1:] &= ~(in_word[1:] & in_word[:-1])
    ends = classes != 0
    ends[:-1] &= ~(in_word[1:] & in_word[:-1])
    begin, end = np.flatnonzero(starts), np.flatnonzero(ends) + 1
    sums = np.zeros(len(content) + 1, dtype=np.uint64)
    np.cumsum((content.astype(np.uint64) + np.uint64(1)) * _POWERS[: len(content)], out=sums[1:])
    return (sums[end] - sums[begin]) * _INVERSES[begin]


def _mixed(values: np.ndarray) -> np.ndarray:
    """Applies the finaliser of MurmurHash3: every input bit reaches every output bit."""
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return values ^ (values >> np.uint64(33))


def signature(text: str) -> np.ndarray:
    """
    Returns the smallest hash of each permutation, [PERMUTATIONS] uint32. The share of equal entries of two signatures
    estimates their Jaccard similarity.
    """
    tokens = _token_hashes(text.encode())
    count = max(1, len(tokens) - GRAM + 1)
    tokens = np.pad(tokens, (0, max(0, GRAM - len(tokens))))
    grams = sum(tokens[k : k + count] * factor for k, factor in enumerate(_GRAM_FACTORS))
    grams = np.unique(_mixed(grams))
    least = [(grams * factor + term).min() for factor, term in zip(_FACTORS, _TERMS)]
    return (np.array(least, dtype=np.uint64) >> np.uint64(32)).astype(np.uint32)


class Index:
    """Signatures of texts, numbered as they are added, with a search for those similar to another."""

    def __init__(self) -> None:
        self._signatures: list[np.ndarray] = []
        self._buckets: dict[tuple[int, bytes], list[int]] = {}

    def similar(self, query: np.ndarray, least: float) -> list[int]:
        """
        Returns the ascending indices of the added texts that share a band with `query` and are at least this similar.
        """
        found = sorted({at for key in _bands(query) for at in self._buckets.get(key, ())})
        return [at for at in found if (self._signatures[at] == query).mean() >= least]

    def add(self, new: np.ndarray) -> None:
        self._signatures.append(new)
        for key in _bands(new):
            bucket = self._buckets.setdefault(key, [])
            if len(bucket) < MAX_IN_BUCKET:
                bucket.append(len(self._signatures) - 1)


def _bands(hashes: np.ndarray) -> list[tuple[int, bytes]]:
    return [(start, hashes[start : start + ROWS].tobytes()) for start in range(0, PERMUTATIONS, ROWS)]
