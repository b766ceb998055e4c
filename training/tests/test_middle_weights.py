"""The weights of the tokens of middles."""

import unittest
from dataclasses import replace

import torch

from flashline_training.middle_weights import MiddleOptions, middle_weights
from flashline_training.prompts import SpecialTokens
from flashline_training.qwen3 import initial_weights, loss_sum, weight_shapes
from tests.made_up import TINY

END, PREFIX, MIDDLE, SUFFIX = 90, 91, 92, 93
OPTIONS = MiddleOptions(3.0, 4, special=SpecialTokens(END, PREFIX, MIDDLE, SUFFIX, 94))


def counted(*rows):
    """Marks the labels that count more, one letter for each label."""
    return ["".join("x" if w == 3 else "." for w in row) for row in middle_weights(torch.tensor(rows), OPTIONS).tolist()]


class MiddleWeightsTest(unittest.TestCase):
    def test_the_last_tokens_of_a_middle_and_its_end_count_more(self):
        self.assertEqual(counted([1, 2, SUFFIX, 3, MIDDLE, 4, 5, 6, 7, 8, END, 1, 2]), [".......xxxx.."])

    def test_a_short_middle_counts_from_its_first_token_on(self):
        self.assertEqual(counted([1, SUFFIX, 2, MIDDLE, 4, END, 5, 6]), ["....xx.."])
        self.assertEqual(counted([1, SUFFIX, 2, MIDDLE, END, 5, 6, 7]), ["....x..."])

    def test_the_end_token_of_a_middle_counts_most(self):
        rows = torch.tensor([[MIDDLE, 4, 5, END, 6, 7, END]])
        weights = middle_weights(rows, replace(OPTIONS, end=2.0)).tolist()
        self.assertEqual(weights, [[1, 3, 3, 6, 1, 1, 1]])

    def test_documents_without_a_hole_count_as_usual(self):
        self.assertEqual(counted([1, 2, 3, END, 4, 5, 6, END]), ["........"])
        self.assertEqual(counted([SUFFIX, MIDDLE, 3, END, 4, 5, 6, END]), ["..xx...."])

    def test_documents_cut_off_by_the_window_count_as_usual(self):
        self.assertEqual(counted([4, 5, 6, END, 1, MIDDLE, 7, 8]), ["........"])

    def test_rows_of_labels_are_independent(self):
        self.assertEqual(counted([1, MIDDLE, 2, 3], [4, END, 5, END]), ["....", "...."])
        self.assertEqual(counted([MIDDLE, 2, END, 3], [MIDDLE, END, 5, END]), [".xx.", ".x.."])

    def test_weights_multiply_the_loss_of_their_tokens(self):
        torch.manual_seed(0)
        weights = initial_weights(weight_shapes(TINY), TINY.num_hidden_layers, 1)
        tokens, labels = torch.randint(0, 100, (2, 2, 6))
        plain = loss_sum(TINY, weights, tokens, labels)
        torch.testing.assert_close(loss_sum(TINY, weights, tokens, labels, torch.ones(2, 6)), plain)
        loss_weights = torch.zeros(2, 6)
        parts = []
        for position in range(6):
            loss_weights[:] = 0
            loss_weights[:, position] = 2
            parts.append(loss_sum(TINY, weights, tokens, labels, loss_weights))
        torch.testing.assert_close(sum(parts), 2 * plain)


if __name__ == "__main__":
    unittest.main()
