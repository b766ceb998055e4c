"""Holes to fill in, and the judgement of answers."""

import unittest

import numpy as np
import torch

from flashline_training.fill_in import Hole, edit_similarity, fill_in_report, single_line_holes
from flashline_training.generate import greedy
from flashline_training.heldout import Document, Heldout
from flashline_training.prompts import SpecialTokens
from tests.made_up import TINY, tiny_weights

SPECIAL = SpecialTokens(end=118, fim_prefix=119, fim_middle=120, fim_suffix=121, file=122)


class Letters:
    """A tokenizer of letters; 10 is a line break."""

    def decode(self, ids):
        return "".join("\n" if i == 10 else chr(64 + i) for i in ids if i < 118)


class FillInTest(unittest.TestCase):
    def test_holes_are_middles_of_one_line_in_either_order(self):
        first, second = [122, 5, 119, 1, 2, 121, 3, 120], [122, 5, 119, 121, 3, 120, 1, 2]
        middles = [(first, [7, 8]), (first, [7, 10, 8]), (second, [7]), (first, [8, 10]), (first * 2, [9]), (first, [])]
        tokens, documents = [], []
        for prompt, middle in middles:
            end = len(tokens) + len(prompt) + len(middle) + 1
            documents.append(Document(len(tokens), end, "a/x", "python", 9, True, len(middle)))
            tokens += [*prompt, *middle, 118]
        holes = list(single_line_holes(Heldout(np.array(tokens, np.uint16), documents), Letters(), SPECIAL, 8))
        self.assertEqual(
            [(hole.text, hole.prompt, hole.suffix_first) for hole in holes],
            [("GH", first, False), ("G", second, True), ("H", first, False)],
        )

    def test_answers_that_equal_the_removed_text_are_exact_matches(self):
        weights = tiny_weights(sharp=10)
        prompts = [torch.randint(11, 100, (n,)).tolist() for n in (5, 9, 7)]
        holes = []
        for i, prompt in enumerate(prompts):
            output = greedy(TINY, weights, torch.tensor([prompt]), 6)[0].tolist()
            output = output[: output.index(118)] if 118 in output else output
            answer = Letters().decode(output).split("\n")[0]
            holes.append(Hole(prompt, answer if i else answer + "x", "python", False))
        report = fill_in_report(TINY, weights, holes, Letters(), most_tokens=6)
        self.assertEqual((report["holes"], report["exact_match"]), (3, 0.6667))

    def test_edit_similarity_is_one_minus_edits_by_length(self):
        self.assertEqual(edit_similarity("", ""), 1)
        self.assertEqual(edit_similarity("abcd", ""), 0)
        self.assertAlmostEqual(edit_similarity("kitten", "sitting"), 1 - 3 / 7)


if __name__ == "__main__":
    unittest.main()
