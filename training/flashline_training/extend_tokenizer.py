"""Optional: more merges on top of a tokenizer's own, for more languages.

    python -m flashline_training.extend_tokenizer --corpus DIR --tokenizer tokenizer.json --out tokenizer.json \
        --entries 24576

Keeps all ids, also those of special tokens, so that `grow` can extend a model of the old tokenizer to the new one.
"""

import argparse
import heapq
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Sequence

SAMPLE = 40_000_000
"""Characters of the text whose words are counted."""
Pair = tuple[int, int]


@dataclass
class Word:
    """A piece of text that no token crosses, as ids, and how often it occurs."""

    ids: list[int]
    count: int


def learn_merges(words: Sequence[Word], first: int, count: int) -> list[Pair]:
    """
    Learns `count` merges in the order of byte-pair encoding: each time the most frequent pair of neighbours becomes one
    token, `first` and those after it. Ties go to the smaller ids. Learns fewer if no pair occurs twice.
    """
    counts: Counter[Pair] = Counter()
    words_with: dict[Pair, set[int]] = defaultdict(set)
    for at, word in enumerate(words):
        for pair in zip(word.ids, word.ids[1:]):
            counts[pair] += word.count
            words_with[pair].add(at)
    queue = [(-number, pair) for pair, number in counts.items()]
    heapq.heapify(queue)
    merges: list[Pair] = []
    while queue and len(merges) < count:
        number, pair = heapq.heappop(queue)
        if counts[pair] != -number:
            # The count in the queue is out of date: queue the pair again with its present count.
            if counts[pair] > 1:
                heapq.heappush(queue, (-counts[pair], pair))
            continue
        if counts[pair] < 2:
            break
        new = first + len(merges)
        merges.append(pair)
        changed: set[Pair] = set()
        for at in words_with.pop(pair):
            word = words[at]
            merged = merge(word.ids, pair, new)
            if len(merged) == len(word.ids):
                continue
            for old in zip(word.ids, word.ids[1:]):
                counts[old] -= word.count
            for fresh in zip(merged, merged[1:]):
                counts[fresh] += word.count
                words_with[fresh].add(at)
                changed.add(fresh)
            word.ids = merged
        del counts[pair]
        for fresh in changed:
            if counts[fresh] > 1:
                heapq.heappush(queue, (-counts[fresh], fresh))
    return merges


def merge(ids: list[int], pair: Pair, new: int) -> list[int]:
    """Returns the ids with each occurrence of the pair replaced, from the left."""
    merged, at = [], 0
    while at < len(ids):
        if at + 1 < len(ids) and (ids[at], ids[at + 1]) == pair:
            merged.append(new)
            at += 2
        else:
            merged.append(ids[at])
            at += 1
    return merged


def extended(fields: dict, words: Sequence[Word], entries: int) -> dict:
    """Returns the fields of a tokenizer.json with `entries` entries, whose special tokens keep their ids."""
    model = fields["model"]
    vocabulary = {**model["vocab"], **{token["content"]: token["id"] for token in fields["added_tokens"]}}
    first = 1 + max(vocabulary.values())
    tokens = {id_: token for token, id_ in vocabulary.items()}
    merges = list(model["merges"])
    for left, right in learn_merges(words, first, entries - first):
        token = tokens[left] + tokens[right]
        # Two merges can make the same token: it keeps the first id, and the second id stays unused.
        tokens[len(tokens)] = token
        vocabulary.setdefault(token, len(tokens) - 1)
        merges.append([tokens[left], tokens[right]])
    return {**fields, "model": {**model, "vocab": vocabulary, "merges": merges}}


def count_words(texts: Iterable[str], tokenizer) -> list[Word]:
    """Returns the words of texts, split as the tokenizer does, that occur at least twice and are not yet one token."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(piece for piece, _ in tokenizer.pre_tokenizer.pre_tokenize_str(text))
    # Pieces are spelled in letters that stand for bytes. `encode` takes the text itself, so `model` tokenises them.
    vocabulary = tokenizer.get_vocab(with_added_tokens=False)
    pieces = [piece for piece, count in counts.items() if count > 1 and piece not in vocabulary]
    return [Word([token.id for token in tokenizer.model.tokenize(piece)], counts[piece]) for piece in pieces]


def main() -> None:
    from tokenizers import Tokenizer

    from .sample import sample_texts

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("corpus", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--entries", type=int, default=24576)
    parser.add_argument("--sample", type=int, default=SAMPLE, help="characters")
    options = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    words = count_words(sample_texts(options.corpus, options.sample), tokenizer)
    fields = extended(json.loads(options.tokenizer.read_text(encoding="utf-8")), words, options.entries)
    options.out.write_text(json.dumps(fields, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{len(words)} words, {len(fields['model']['vocab'])} entries")


if __name__ == "__main__":
    main()
