import re
from collections import Counter

WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
STOP_WORDS = {"a", "an", "and", "in", "of", "the", "to"}


def tokenize(text):
    return [match.group().lower() for match in WORD.finditer(text)]


def without_stop_words(tokens, stop_words=STOP_WORDS):
    return [token for token in tokens if token not in stop_words]


class Vocabulary:
    def __init__(self):
        self.counts = Counter()
        self.documents = 0

    def add_document(self, text):
        self.counts.update(without_stop_words(tokenize(text)))
        self.documents += 1

    def most_common(self, limit):
        return [word for word, _ in self.counts.most_common(limit)]

    def frequency(self, word):
        total = sum(self.counts.values())
        if total == 0:
            raise ValueError("The vocabulary is empty")
        return self.counts[word] / total
