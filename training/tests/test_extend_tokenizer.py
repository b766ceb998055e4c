"""More merges on top of a tokenizer's own."""

import unittest

from flashline_training.extend_tokenizer import Word, extended, learn_merges, merge

A, B, C = range(3)


class MergeTest(unittest.TestCase):
    def test_the_most_frequent_pair_comes_first_and_can_be_merged_further(self) -> None:
        words = [Word([A, B, C], 5), Word([A, B], 4), Word([B, C], 6)]
        # a b: 9, b c: 11; then a bc: 5, a b: 4.
        self.assertEqual(learn_merges(words, 10, 3), [(B, C), (A, 10), (A, B)])

    def test_each_merge_is_the_most_frequent_pair_after_the_earlier_ones(self) -> None:
        texts = ["banana", "bandana", "ananas", "cabana", "cab", "abab", "aaaa"]
        words = lambda: [Word([ord(letter) for letter in text], 2 + at) for at, text in enumerate(texts)]
        plain = words()
        for new, pair in enumerate(learn_merges(words(), 1000, 12), 1000):
            counts: dict[tuple[int, int], int] = {}
            for word in plain:
                for neighbours in zip(word.ids, word.ids[1:]):
                    counts[neighbours] = counts.get(neighbours, 0) + word.count
            self.assertEqual(counts[pair], max(counts.values()))
            for word in plain:
                word.ids = merge(word.ids, pair, new)

    def test_learning_ends_when_no_pair_occurs_twice(self) -> None:
        self.assertEqual(learn_merges([Word([A, B], 1)], 10, 5), [])

    def test_repeated_letters_are_merged_from_the_left(self) -> None:
        self.assertEqual(merge([A, A, A], (A, A), 9), [9, A])


class ExtendedFieldsTest(unittest.TestCase):
    def test_all_ids_stay_also_those_of_special_tokens(self) -> None:
        fields = {
            "added_tokens": [{"id": 3, "content": "<|end|>"}],
            "model": {"vocab": {"a": A, "b": B, "c": C}, "merges": []},
        }
        made = extended(fields, [Word([A, B, C], 3), Word([B, C], 2)], 6)
        expected = {"a": A, "b": B, "c": C, "<|end|>": 3, "bc": 4, "abc": 5}
        self.assertEqual(made["model"], {"vocab": expected, "merges": [["b", "c"], ["a", "bc"]]})


if __name__ == "__main__":
    unittest.main()
